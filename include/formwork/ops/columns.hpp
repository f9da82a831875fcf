#pragma once
#include <formwork/graph/call.hpp>
#include <formwork/kernels/cpu/columns.hpp>

namespace formwork {

/// y = x diag(lambda), lambda trainable: a number for each column, each head or the whole matrix.
/// Shapes:   x [N, D], lambda [G], G divides D -> y [N, D]
/// Gradient: dx = dy diag(lambda); dlambda += sums of dy x over rows and the columns of a group
struct scale_columns_op {
  static constexpr label name = "scale_columns";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::scale_columns<T>(c.backend, c.in[0], c.parameter[0], c.parameter_rows, c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::scale_columns_backward<T>(c.backend, c.d_out, c.in[0], c.parameter[0], c.parameter_rows, c.d_in[0],
                                   c.adds[0], c.d_parameter[0]);
  }
};

/// y = x + beta, beta trainable: one number for the whole matrix.
/// Gradient: dx = dy, dbeta += sum of dy
struct shift_columns_op {
  static constexpr label name = "shift_columns";
  static constexpr unsigned passes(const node&) { return 0b1; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::shift_columns<T>(c.backend, c.in[0], c.parameter[0], c.parameter_rows, c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::shift_columns_backward<T>(c.backend, c.d_out, c.parameter_rows, c.d_parameter[0]);
  }
};

namespace detail {

/// A node that acts on the columns of x by `groups` trainable numbers, all of which begin at `start`.
constexpr expr by_columns(const op_record& op, expr x, label name, index_t groups, double start) {
  const short p = declare(*x.g, {.name = name, .role = role::scalar, .rows = groups, .start = start});
  return push(*x.g, {.op = &op,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .parameter = {p, -1},
                     .name = name});
}

}  // namespace detail

namespace ops {

/// x diag(lambda), lambda one trainable number for each column, named `name`; all begin at `start`.
constexpr expr scale_columns(expr x, label name, double start) {
  return detail::by_columns(record_of<scale_columns_op>, x, name, x.width(), start);
}

/// alpha x, alpha a trainable number named `name` that begins at `start`.
constexpr expr scale_by(expr x, label name, double start) {
  return detail::by_columns(record_of<scale_columns_op>, x, name, 1, start);
}

/// Each head's columns of x times a trainable number of its own, `name` [heads]; all begin at `start`.
/// Error: heads do not divide the width.
constexpr expr head_scale(expr x, int heads, label name, double start) {
  if (heads < 1 || x.width() % heads) throw "head_scale: the width must be a multiple of heads";
  return detail::by_columns(record_of<scale_columns_op>, x, name, heads, start);
}

/// x + beta, beta a trainable number named `name` that begins at `start`.
constexpr expr shift_by(expr x, label name, double start) {
  return detail::by_columns(record_of<shift_columns_op>, x, name, 1, start);
}

}  // namespace ops

}  // namespace formwork
