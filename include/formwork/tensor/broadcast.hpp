#pragma once
#include <formwork/tensor/extents.hpp>

namespace formwork {
namespace detail {

inline constexpr index_t mismatch = -2;

/// Axes are aligned at the right, as in numpy; a missing axis counts as 1.
template <class X>
FORMWORK_HD constexpr index_t aligned(int axis, int rank) {
  return axis < rank - X::rank ? 1 : X::declared(axis - (rank - X::rank));
}
template <class X>
FORMWORK_HD constexpr index_t aligned(const X& shape, int axis, int rank) {
  return axis < rank - X::rank ? 1 : shape[axis - (rank - X::rank)];
}

template <class A, class B>
struct broadcast_axes {
  static constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
  static constexpr index_t axis(int i) {
    const index_t a = aligned<A>(i, rank), b = aligned<B>(i, rank);
    if (a == b || b == 1) return a;
    if (a == 1 || a == dynamic) return b;
    return b == dynamic ? a : mismatch;
  }
  static constexpr bool possible() {
    for (int i = 0; i < rank; ++i)
      if (axis(i) == mismatch) return false;
    return true;
  }
};

}  // namespace detail

/// Both shapes can be brought to one by repeating axes of extent 1, as far as the types tell.
template <class A, class B>
concept broadcastable = detail::broadcast_axes<A, B>::possible();

/// The common shape of two operands.
template <class A, class B>
using broadcast_extents =
    detail::extents_from<detail::broadcast_axes<A, B>, detail::broadcast_axes<A, B>::rank>;

/// The common shape of operands that `check_broadcast` has accepted.
template <class A, class B>
FORMWORK_HD constexpr broadcast_extents<A, B> broadcast(const A& a, const B& b) {
  using result = broadcast_extents<A, B>;
  result out;
  for (int axis = 0; axis < result::rank; ++axis)
    if (result::declared(axis) == dynamic) {
      const index_t size = detail::aligned(a, axis, result::rank);
      out.sizes[result::slot(axis)] = size == 1 ? detail::aligned(b, axis, result::rank) : size;
    }
  return out;
}

/// The part of the check that needs run-time sizes. An axis that is repeated has extent 1; the last axis is
/// only repeated when its type says 1, so that inner loops have no branch.
template <class A, class B>
void check_broadcast(const A& a, const B& b) {
  constexpr int rank = detail::broadcast_axes<A, B>::rank;
  for (int axis = 0; axis < rank; ++axis) {
    const index_t x = detail::aligned(a, axis, rank), y = detail::aligned(b, axis, rank);
    const bool one = axis + 1 < rank
                         ? x == 1 || y == 1
                         : detail::aligned<A>(axis, rank) == 1 || detail::aligned<B>(axis, rank) == 1;
    if (x == y || one) continue;
    fail("tensor expression: the operands' extents ", text_of(a), " and ", text_of(b),
         " cannot be broadcast together",
         axis + 1 == rank && (x == 1 || y == 1) ? "; an extent 1 of the last axis must be in the type" : "");
  }
}

namespace detail {
template <class D, class E>
constexpr bool fills_by_type() {  // a function: nvcc takes a concept with a lambda in it for false
  for (int axis = 0; axis < D::rank; ++axis) {
    const index_t e = aligned<E>(axis, D::rank), d = D::declared(axis);
    if (e != d && e != 1 && e != dynamic && d != dynamic) return false;
  }
  return E::rank <= D::rank;
}
}  // namespace detail

/// An expression of shape E can fill a destination of shape D, as far as the types tell.
template <class D, class E>
concept fills = detail::fills_by_type<D, E>();

/// The run-time part of `fills`; `error` names both shapes.
template <class D, class E>
void check_fills(const D& destination, const E& expression) {
  for (int axis = 0; axis < D::rank; ++axis) {
    const index_t size = detail::aligned(expression, axis, D::rank);
    const bool one = axis + 1 < D::rank ? size == 1 : detail::aligned<E>(axis, D::rank) == 1;
    if (size != destination[axis] && !one)
      fail("tensor expression: extents ", text_of(expression), " do not fit the destination's ",
           text_of(destination));
  }
}

}  // namespace formwork
