#pragma once
#include <formwork/tensor/element.hpp>
#include <formwork/tensor/expression.hpp>

namespace formwork {

/// Owns memory and gives a view of it: `tensor`,
/// or a container of a user with `view() &` and `view() const&`.
template <class T>
concept tensor_owner = !expression<T> && requires(T & t, const T& c) {
  { t.view() } -> expression;
  { c.view() } -> expression;
};

/// What operators accept: expressions, views, and named tensors.
template <class T>
concept tensor_operand = expression<std::remove_cvref_t<T>> || tensor_owner<std::remove_cvref_t<T>>;

namespace detail {

template <class A>
concept temporary_owner = tensor_owner<std::remove_cvref_t<A>> && !std::is_lvalue_reference_v<A>;

/// The node of an operand: views of tensors are read-only here, so that an expression has one type for both.
template <class A>
constexpr auto node_of(const A& a) {
  if constexpr (expression<A>)
    return a;
  else
    return a.view();
}
template <class T, class X>
constexpr auto node_of(const tensor_view<T, X>& a) {
  return tensor_view<const T, X>(a);
}
template <class A>
using node_type = decltype(node_of(std::declval<const std::remove_cvref_t<A>&>()));

template <class A, class B>
concept operands = (tensor_operand<A> && tensor_operand<B>) ||
                   (tensor_operand<A> && std::is_arithmetic_v<std::remove_cvref_t<B>>) ||
                   (std::is_arithmetic_v<std::remove_cvref_t<A>> && tensor_operand<B>);

template <class F, class A>
constexpr auto make_unary(const F& f, const A& a) {
  return unary<F, node_type<A>>{f, node_of(a)};
}

template <class F, class A, class B>
constexpr auto make_binary(const F& f, const A& a, const B& b) {
  if constexpr (std::is_arithmetic_v<A>) {
    using T = typename node_type<B>::value_type;
    return binary<F, constant_node<T>, node_type<B>>{f, {T(a)}, node_of(b)};
  } else if constexpr (std::is_arithmetic_v<B>) {
    using T = typename node_type<A>::value_type;
    return binary<F, node_type<A>, constant_node<T>>{f, node_of(a), {T(b)}};
  } else {
    using left = node_type<A>;
    using right = node_type<B>;
    static_assert(std::is_same_v<typename left::value_type, typename right::value_type>,
                  "tensor expression: the operands have different element types");
    constexpr bool possible = broadcastable<typename left::extents_type, typename right::extents_type>;
    static_assert(possible, "tensor expression: the operands' extents cannot be broadcast together");
    if constexpr (possible) {
      const left l = node_of(a);
      const right r = node_of(b);
      check_broadcast(l.extents(), r.extents());
      return binary<F, left, right>{f, l, r};
    }
  }
}

}  // namespace detail

/// f of every element; f is an element function as an activation is (core/math.hpp): `map(gelu{}, x)`.
template <class F, tensor_operand A>
constexpr auto map(const F& f, A&& a) {
  static_assert(
      !detail::temporary_owner<A>,
      "tensor expression: an operand is a temporary tensor that would be gone; give it a name first");
  return detail::make_unary(f, a);
}

/// f of the elements of two operands, broadcast to their common shape (one of them may be a number).
/// Requires: extents that broadcast (compile error where the types tell, else `error`); equal element types
template <class F, class A, class B>
requires detail::operands<A, B>
constexpr auto map(const F& f, A&& a, B&& b) {
  static_assert(
      !detail::temporary_owner<A> && !detail::temporary_owner<B>,
      "tensor expression: an operand is a temporary tensor that would be gone; give it a name first");
  return detail::make_binary(f, a, b);
}

/// The derivative of the element function f at every element.
template <class F, tensor_operand A>
constexpr auto slope(const F& f, A&& a) {
  return map(element::slope_of<F>{f}, std::forward<A>(a));
}

/// Arithmetic of two operands, one of which may be a number; max and min likewise.
template <class A, class B>
requires detail::operands<A, B>
constexpr auto operator+(A&& a, B&& b) { return map(element::add{}, std::forward<A>(a), std::forward<B>(b)); }
template <class A, class B>
requires detail::operands<A, B>
constexpr auto operator-(A&& a, B&& b) {
  return map(element::subtract{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires detail::operands<A, B>
constexpr auto operator*(A&& a, B&& b) {
  return map(element::multiply{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires detail::operands<A, B>
constexpr auto operator/(A&& a, B&& b) {
  return map(element::divide{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires detail::operands<A, B>
constexpr auto max(A&& a, B&& b) { return map(element::maximum{}, std::forward<A>(a), std::forward<B>(b)); }
template <class A, class B>
requires detail::operands<A, B>
constexpr auto min(A&& a, B&& b) { return map(element::minimum{}, std::forward<A>(a), std::forward<B>(b)); }

/// Functions of every element, as in core/math.hpp.
template <tensor_operand A>
constexpr auto operator-(A&& a) {
  return map(element::negate{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto exp(A&& a) {
  return map(element::exponential{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto log(A&& a) {
  return map(element::logarithm{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto tanh(A&& a) {
  return map(element::hyperbolic{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto erf(A&& a) {
  return map(element::error_function{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto sqrt(A&& a) {
  return map(element::root{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto abs(A&& a) {
  return map(element::magnitude{}, std::forward<A>(a));
}
template <tensor_operand A>
constexpr auto sigmoid(A&& a) {
  return map(element::logistic{}, std::forward<A>(a));
}

}  // namespace formwork
