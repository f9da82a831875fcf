#pragma once
// The nodes of tensor expressions. A node holds its operands by value and nothing else; an evaluator asks it,
// row by row, for a cursor that gives elements (or batches of elements) of that row, so that the inner loop
// is what one would write by hand. Every node may be copied to a device: there are no strings and no
// references in it.
//
//   extents()            shape of the result
//   flat(destination)    all memory is dense and of the destination's shape: one cursor serves everything
//   line()               that cursor
//   row(position, team)  the cursor of one row; a team works out the reductions along the row
//   each_view(f)         calls f with every leaf (host only: checks of overlap)
#include <formwork/core/dual.hpp>
#include <formwork/tensor/tensor_view.hpp>

namespace formwork {

/// A node of a tensor expression: a view, a constant, or something made of them. Lazy: nothing is computed
/// before it is assigned. Functions of the library's interface return tensors or views, never these.
template <class E>
concept expression = requires(const E& e) {
  typename E::expression_tag;
  typename E::value_type;
  typename E::extents_type;
  e.extents();
};

/// One number; broadcasts to every shape.
template <class T>
struct constant_node {
  using expression_tag = void;
  using value_type = T;
  using extents_type = formwork::extents<1>;
  static constexpr bool reduces = false;

  T value{};

  FORMWORK_HD constexpr extents_type extents() const { return {}; }
  template <class X>
  FORMWORK_HD bool flat(const X&) const {
    return true;
  }
  FORMWORK_HD auto line() const { return repeat_cursor<T>{value}; }
  template <int Rank, class Team>
  FORMWORK_HD auto row(const row_position<Rank>&, const Team&) const {
    return line();
  }
  template <class F>
  void each_view(const F&) const {}
};

/// A row of `unary`.
template <class F, class A>
struct unary_cursor {
  F f;
  A a;
  template <class V>
  [[gnu::always_inline]] FORMWORK_HD V at(index_t j) const {
    return f(a.template at<V>(j));
  }
  template <class V>
  [[gnu::always_inline]] V part(index_t j, index_t n) const {
    return f(a.template part<V>(j, n));
  }
};

/// A row of `binary`.
template <class F, class A, class B>
struct binary_cursor {
  F f;
  A a;
  B b;
  template <class V>
  [[gnu::always_inline]] FORMWORK_HD V at(index_t j) const {
    return f(a.template at<V>(j), b.template at<V>(j));
  }
  template <class V>
  [[gnu::always_inline]] V part(index_t j, index_t n) const {
    return f(a.template part<V>(j, n), b.template part<V>(j, n));
  }
};

/// An element function of one operand.
template <class F, expression A>
struct unary {
  using expression_tag = void;
  using value_type = typename A::value_type;
  using extents_type = typename A::extents_type;
  static constexpr bool reduces = A::reduces;

  F f;
  A a;

  FORMWORK_HD constexpr extents_type extents() const { return a.extents(); }
  template <class X>
  FORMWORK_HD bool flat(const X& destination) const {
    return a.flat(destination);
  }
  FORMWORK_HD auto line() const { return unary_cursor<F, decltype(a.line())>{f, a.line()}; }
  template <int Rank, class Team>
  FORMWORK_HD auto row(const row_position<Rank>& position, const Team& team) const {
    return unary_cursor<F, decltype(a.row(position, team))>{f, a.row(position, team)};
  }
  template <class G>
  void each_view(const G& g) const {
    a.each_view(g);
  }
};

/// An element function of two operands, broadcast to their common shape.
template <class F, expression A, expression B>
struct binary {
  using expression_tag = void;
  using value_type = typename A::value_type;
  using extents_type = broadcast_extents<typename A::extents_type, typename B::extents_type>;
  static constexpr bool reduces = A::reduces || B::reduces;

  F f;
  A a;
  B b;

  FORMWORK_HD constexpr extents_type extents() const { return broadcast(a.extents(), b.extents()); }
  template <class X>
  FORMWORK_HD bool flat(const X& destination) const {
    return a.flat(destination) && b.flat(destination);
  }
  FORMWORK_HD auto line() const {
    return binary_cursor<F, decltype(a.line()), decltype(b.line())>{f, a.line(), b.line()};
  }
  template <int Rank, class Team>
  FORMWORK_HD auto row(const row_position<Rank>& position, const Team& team) const {
    return binary_cursor<F, decltype(a.row(position, team)), decltype(b.row(position, team))>{
        f, a.row(position, team), b.row(position, team)};
  }
  template <class G>
  void each_view(const G& g) const {
    a.each_view(g);
    b.each_view(g);
  }
};

/// A reduction along the last axis, which stays with extent 1. Worked out once for each row, by the
/// evaluator's team, and then a constant of that row.
template <class Operation, expression A>
struct row_reduction {
  using expression_tag = void;
  using value_type = typename A::value_type;
  using extents_type = detail::with_one_column<typename A::extents_type>;
  static constexpr bool reduces = true;

  Operation operation;
  A a;

  FORMWORK_HD constexpr extents_type extents() const {
    const auto shape = a.extents();
    extents_type out;
    for (int i = 0; i < extents_type::dynamic_axes; ++i) out.sizes[i] = shape.sizes[i];
    return out;
  }
  template <int Rank, class Team>
  FORMWORK_HD auto row(const row_position<Rank>& position, const Team& team) const {
    return repeat_cursor<value_type>{
        team.template reduce<value_type>(operation, a.row(position, team), a.extents().columns())};
  }
  template <class G>
  void each_view(const G& g) const {
    a.each_view(g);
  }
};

}  // namespace formwork
