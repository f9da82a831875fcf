#pragma once
#include <formwork/tensor/operations.hpp>

#include <limits>

namespace formwork {

namespace element {

/// `identity` starts the reduction, operator() joins two partial results, `across` joins the elements of a
/// batch, `finish` turns the result of n elements into the value.
struct sum {
  template <class T>
  FORMWORK_HD static constexpr T identity() {
    return T(0);
  }
  template <class V>
  FORMWORK_HD V operator()(const V& a, const V& b) const {
    return a + b;
  }
  template <class T>
  FORMWORK_HD T finish(T total, index_t) const {
    return total;
  }
  template <class T>
  static T across(const simd::batch<T>& v) {
    return simd::sum(v);
  }
};

/// Of an empty row: not a number.
struct mean : sum {
  template <class T>
  FORMWORK_HD T finish(T total, index_t n) const {
    return total / T(n);
  }
};

/// A constant, because a device function may not call numeric_limits.
template <class T>
inline constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

/// Of an empty row: minus infinity.
struct largest {
  template <class T>
  FORMWORK_HD static constexpr T identity() {
    return minus_infinity<T>;
  }
  template <class V>
  FORMWORK_HD V operator()(const V& a, const V& b) const {
    return max(a, b);
  }
  template <class T>
  FORMWORK_HD T finish(T result, index_t) const {
    return result;
  }
  template <class T>
  static T across(const simd::batch<T>& v) {
    return simd::highest(v);
  }
};

}  // namespace element

namespace detail {
template <class Operation, class A>
constexpr auto reduce_rows(A&& a) {
  static_assert(
      !temporary_owner<A>,
      "tensor expression: an operand is a temporary tensor that would be gone; give it a name first");
  return row_reduction<Operation, node_type<A>>{{}, node_of(a)};
}
}  // namespace detail

/// Sum along the last axis.  Shapes: [..., W] -> [..., 1].
/// Cost:        each use in an expression runs once per row; written twice, it runs twice
/// Determinism: the order depends on W and the batch width only
template <tensor_operand A>
constexpr auto row_sum(A&& a) {
  return detail::reduce_rows<element::sum>(std::forward<A>(a));
}
/// Mean along the last axis.  Shapes: [..., W] -> [..., 1]; not a number for W = 0.
template <tensor_operand A>
constexpr auto row_mean(A&& a) {
  return detail::reduce_rows<element::mean>(std::forward<A>(a));
}
/// Largest element along the last axis.  Shapes: [..., W] -> [..., 1]; -infinity for W = 0.
template <tensor_operand A>
constexpr auto row_max(A&& a) {
  return detail::reduce_rows<element::largest>(std::forward<A>(a));
}

}  // namespace formwork
