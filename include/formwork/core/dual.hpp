#pragma once
#include <formwork/core/math.hpp>

#include <type_traits>

namespace formwork {

template <class V>
struct dual;

namespace detail {
template <class V>
struct scalar_of<dual<V>> : scalar_of<V> {};
template <class S, class V>
concept constant_of = !std::same_as<S, dual<V>> && std::convertible_to<S, V>;
}  // namespace detail

/// A number and its slope along one direction (forward-mode derivative). V is a scalar or a SIMD batch.
/// Element functions called with duals give their derivative: no activation needs a hand-written one.
/// Comparisons look at the value only; a constant has slope 0.
/// Cost:     about 2 to 3 times the arithmetic of the plain function.
template <class V>
struct dual {
  V value{};
  V slope{};

  dual() = default;
  FORMWORK_HD constexpr dual(V value, V slope) : value(value), slope(slope) {}
  template <detail::constant_of<V> S>
  FORMWORK_HD constexpr dual(const S& constant) : value(V(constant)), slope(V(scalar_of<V>(0))) {}

  FORMWORK_HD friend dual operator+(const dual& a, const dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  FORMWORK_HD friend dual operator-(const dual& a, const dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  FORMWORK_HD friend dual operator*(const dual& a, const dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  FORMWORK_HD friend dual operator/(const dual& a, const dual& b) {
    const V quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  FORMWORK_HD friend dual operator-(const dual& a) { return {-a.value, -a.slope}; }

  // With a constant, half of the terms vanish; the compiler may not drop them itself (0 * infinity is not 0).
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator+(const dual& a, const S& c) {
    return {a.value + V(c), a.slope};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator+(const S& c, const dual& a) {
    return {V(c) + a.value, a.slope};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator-(const dual& a, const S& c) {
    return {a.value - V(c), a.slope};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator-(const S& c, const dual& a) {
    return {V(c) - a.value, -a.slope};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator*(const dual& a, const S& c) {
    return {a.value * V(c), a.slope * V(c)};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator*(const S& c, const dual& a) {
    return {V(c) * a.value, V(c) * a.slope};
  }
  template <detail::constant_of<V> S>
  FORMWORK_HD friend dual operator/(const dual& a, const S& c) {
    return {a.value / V(c), a.slope / V(c)};
  }

  FORMWORK_HD friend auto operator<(const dual& a, const dual& b) { return a.value < b.value; }
  FORMWORK_HD friend auto operator>(const dual& a, const dual& b) { return a.value > b.value; }
  FORMWORK_HD friend auto operator<=(const dual& a, const dual& b) { return a.value <= b.value; }
  FORMWORK_HD friend auto operator>=(const dual& a, const dual& b) { return a.value >= b.value; }
  FORMWORK_HD friend auto operator==(const dual& a, const dual& b) { return a.value == b.value; }
};

/// The element mathematics of core/math.hpp with the chain rule.
template <class V>
FORMWORK_HD dual<V> exp(const dual<V>& x) {
  const V y = exp(x.value);
  return {y, x.slope * y};
}
template <class V>
FORMWORK_HD dual<V> log(const dual<V>& x) {
  return {log(x.value), x.slope / x.value};
}
template <class V>
FORMWORK_HD dual<V> tanh(const dual<V>& x) {
  const V y = tanh(x.value);
  return {y, x.slope * (V(scalar_of<V>(1)) - y * y)};
}
template <class V>
FORMWORK_HD dual<V> sqrt(const dual<V>& x) {
  const V y = sqrt(x.value);
  return {y, x.slope / (y + y)};
}
template <class V>
FORMWORK_HD dual<V> erf(const dual<V>& x) {
  const V two_over_root_pi(scalar_of<V>(1.12837916709551257390));
  return {erf(x.value), x.slope * two_over_root_pi * exp(-x.value * x.value)};
}
template <class V>
FORMWORK_HD dual<V> sigmoid(const dual<V>& x) {
  const V y = sigmoid(x.value);
  return {y, x.slope * y * (V(scalar_of<V>(1)) - y)};
}
/// Slope of the side that is chosen.
template <class C, class V>
FORMWORK_HD dual<V> where(const C& condition, const dual<V>& a, const dual<V>& b) {
  return {where(condition, a.value, b.value), where(condition, a.slope, b.slope)};
}
template <class V>
FORMWORK_HD dual<V> max(const dual<V>& a, const dual<V>& b) {
  return where(a < b, b, a);
}
template <class V>
FORMWORK_HD dual<V> min(const dual<V>& a, const dual<V>& b) {
  return where(b < a, b, a);
}
/// Slope 0 at 0.
template <class V>
FORMWORK_HD dual<V> abs(const dual<V>& x) {
  return {abs(x.value), x.slope * sign(x.value)};
}
template <class V>
FORMWORK_HD dual<V> sign(const dual<V>& x) {
  return {sign(x.value), V(scalar_of<V>(0))};
}

/// f(x) as `value` and df/dx at x as `slope`, for an element function `auto f(auto x)`;
/// V is a scalar or a batch.
template <class F, class V>
FORMWORK_HD dual<V> derivative(const F& f, const V& x) {
  return f(dual<V>(x, V(scalar_of<V>(1))));
}

}  // namespace formwork
