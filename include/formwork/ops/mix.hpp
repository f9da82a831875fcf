#pragma once
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/mix.hpp>
#include <formwork/ops/check.hpp>
#include <formwork/ops/slice.hpp>

#include <array>

namespace formwork {

/// y = sum over t of w_t x_t. The weights w are trainable numbers, the same for all rows, or the columns of a
/// value, a row of them for each row.
/// Shapes:   x_t [N, D], up to six trainable or five others; w [n] trainable, of which those from
///           node::column on are read, or [N, terms] -> y [N, D]
/// Gradient: dx_t = w_t dy; dw_t = dy . x_t, for trainable ones summed over the rows
struct mix_op {
  static constexpr label name = "mix";
  static constexpr backward_reads reads(const node&) { return {.inputs = (1u << operands::capacity) - 1}; }
  static constexpr row_cost cost(const graph&, const node& n) {
    return {.flops = 2.0 * double(terms(n)) * double(n.width)};
  }
  static constexpr int terms(const node& n) {
    int count = 0;
    for (const short k : n.in) count += k >= 0;
    return n.parameter[0] >= 0 ? count : count - 1;
  }

  template <class Call>
  static void forward(const Call& c) {
    cpu::mix<typename Call::scalar>(c.backend, c.in, weights(c), c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    const int count = terms(c.n);
    const bool trains = c.n.parameter[0] >= 0;
    const matrix_view<T> slopes =
        trains ? matrix_view<T>(c.backend.template scratch<T>(cpu::slot_columns, c.out.rows * count),
                                c.out.rows, count)
               : c.d_in[count];
    cpu::mix_backward<T>(c.backend, c.d_out, c.in, weights(c), c.d_in, c.adds, slopes,
                         !trains && c.adds[count]);
    if (trains) cpu::column_sum<T>(c.backend, slopes, c.d_parameter[0] + c.n.column);
  }

 private:
  template <class Call>
  static matrix_view<const typename Call::scalar> weights(const Call& c) {
    const int count = terms(c.n);
    if (c.n.parameter[0] >= 0) return {c.parameter[0] + c.n.column, c.out.rows, count, 0};
    return c.in[count];
  }
};

namespace detail {

/// A mixture without its weights.
template <std::size_t N>
constexpr node mixture(const std::array<expr, N>& x) {
  static_assert(N >= 1 && N <= std::size_t(operands::capacity), "mix: expected one to six terms");
  node n{.op = &record_of<mix_op>, .width = x[0].width(), .rows = x[0].rows()};
  for (std::size_t t = 0; t < N; ++t) {
    if (!same_rows(x[0], x[t])) throw "mix: all terms must run over the same token axis";
    if (x[0].width() != x[t].width()) throw "mix: all terms must have the same width";
    n.in[int(t)] = x[t].id;
  }
  return n;
}

}  // namespace detail

namespace ops {

/// Columns [first, first + count) of x: a view.
/// Error: x has no such columns.
constexpr expr slice(expr x, index_t first, index_t count) {
  if (first < 0 || count < 1 || first + count > x.width()) throw "slice: the value has no such columns";
  return push(*x.g,
              {.op = &record_of<slice_op>, .in = {x.id}, .width = count, .rows = x.rows(), .column = first});
}

/// sum over t of w_t x_t, w the trainable numbers [first, first + N) of the `count` that `name` has.
/// Error: the terms differ in width or token axis, or `name` has no such numbers.
template <std::size_t N>
constexpr expr mix(const std::array<expr, N>& x, label name, index_t count, index_t first = 0) {
  node n = detail::mixture(x);
  if (first < 0 || first + index_t(N) > count) throw "mix: expected a weight for each term";
  n.parameter = {declare(*x[0].g, {.name = name, .role = role::scalar, .rows = count})};
  n.column = first;
  n.name = name;
  return push(*x[0].g, n);
}

/// sum over t of w_t x_t, w_t column t of `weights`, row by row. At most five terms.
/// Error: the terms differ in width or token axis, or `weights` has another number of columns.
template <std::size_t N>
constexpr expr mix(const std::array<expr, N>& x, expr weights) {
  static_assert(N < std::size_t(operands::capacity), "mix: expected one to five terms and their weights");
  node n = detail::mixture(x);
  if (!same_rows(x[0], weights)) throw "mix: the weights must run over the token axis of the terms";
  if (weights.width() != index_t(N)) throw "mix: expected a weight for each term";
  n.in[int(N)] = weights.id;
  return push(*x[0].g, n);
}

}  // namespace ops

}  // namespace formwork
