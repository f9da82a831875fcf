#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/graph/call.hpp>
#include <formwork/kernels/cpu/columns.hpp>
#include <formwork/kernels/cpu/rms_norm.hpp>
#include <formwork/ops/heads.hpp>

namespace formwork {

namespace detail {

/// Norms without a mean. The gain of a column is `Offset` plus the parameter of its group, 1 without a
/// parameter; all heads share it.
template <cpu::row_size By, int Offset>
struct rms_family {
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  static constexpr index_t saved_width(const node& n) { return heads_of(n); }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 4.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    const T* const gain = gain_of(c);
    for (int h = 0; h < heads_of(c.n); ++h)
      cpu::rms_norm_forward<T>(c.backend, head(c.in[0], c.n, h), gain, By, c.n.alpha, head(c.out, c.n, h),
                               c.saved.columns(h, 1));
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    const index_t width = head_width(c.n);
    T* const gain = gain_of(c);
    T* const dgain = c.d_parameter[0] ? gain + width : nullptr;
    std::fill_n(gain + width, width, T(0));
    for (int h = 0; h < heads_of(c.n); ++h)
      cpu::rms_norm_backward<T>(c.backend, head(c.d_out, c.n, h), head(c.in[0], c.n, h),
                                c.saved.columns(h, 1), gain, By, head(c.d_in[0], c.n, h), c.adds[0], dgain);
    if (dgain) cpu::add_groups(dgain, width, c.parameter_rows, c.d_parameter[0]);
  }

 private:
  /// The gain of each column of a head, with room for its gradient behind it.
  template <class Call>
  static auto* gain_of(const Call& c) {
    using T = typename Call::scalar;
    const index_t width = head_width(c.n);
    T* const gain = c.backend.template scratch<T>(cpu::slot_columns, 2 * width);
    if (!c.parameter[0])
      std::fill_n(gain, width, T(1));
    else
      cpu::spread_groups(c.parameter[0], c.parameter_rows, width, gain);
    if (Offset)
      for (index_t i = 0; i < width; ++i) gain[i] += T(Offset);
    return gain;
  }
};

}  // namespace detail

/// y = x / sqrt(mean of x^2 + epsilon) gain, over the row or over each head's columns.
/// Shapes:   x [N, H K], gain [K] -> y [N, H K]; keeps 1 / root, [N, H]
/// Gradient: dx = (dh - h mean(dh h)) / root, h = x / root, dh = dy gain; dgain = sum dy h
/// Source:   Zhang, Sennrich 2019, eq. 4
struct rms_norm_op : detail::rms_family<cpu::row_size::rms, 0> {
  static constexpr label name = "rms_norm";
};

/// The same with the gain written as 1 + g.
struct unit_offset_rms_norm_op : detail::rms_family<cpu::row_size::rms, 1> {
  static constexpr label name = "unit_offset_rms_norm";
};

/// y = x / sqrt(sum of x^2 + epsilon), times one trainable number if there is one.
/// Shapes:   x [N, H K] -> y [N, H K]; keeps 1 / root, [N, H]
/// Source:   Nguyen, Salazar 2019, section 2
struct length_norm_op : detail::rms_family<cpu::row_size::length, 0> {
  static constexpr label name = "length_norm";
};

namespace detail {

constexpr expr rms_node(const op_record& op, expr x, label name, double epsilon, int heads, short gain) {
  return push(*x.g, {.op = &op,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .parameter = {gain, -1},
                     .alpha = epsilon,
                     .heads = kept_heads(heads),
                     .name = name});
}

constexpr expr with_gain(const op_record& op, expr x, label name, double epsilon, int heads, double start) {
  const index_t width = width_of_head(x, heads);
  const short gain =
      declare(*x.g, {.name = join(name, "gain"), .role = role::norm_gain, .rows = width, .start = start});
  return rms_node(op, x, name, epsilon, heads, gain);
}

}  // namespace detail

namespace ops {

/// RMSNorm with a trainable gain (starts at 1), named `name`.gain; `heads` > 1: over each head's columns,
/// with one gain for all heads.
/// Error: heads that do not divide the width.
constexpr expr rms_norm(expr x, label name, double epsilon = 1e-5, int heads = 1) {
  return detail::with_gain(record_of<rms_norm_op>, x, name, epsilon, heads, 1);
}

/// RMSNorm with the gain 1 + g; g, named `name`.gain, starts at 0.
constexpr expr unit_offset_rms_norm(expr x, label name, double epsilon = 1e-5, int heads = 1) {
  return detail::with_gain(record_of<unit_offset_rms_norm_op>, x, name, epsilon, heads, 0);
}

/// Rows, or each head's columns, of length 1: x / sqrt(sum of x^2 + epsilon).
constexpr expr unit_length(expr x, double epsilon = 1e-10, int heads = 1) {
  detail::width_of_head(x, heads);
  return detail::rms_node(record_of<length_norm_op>, x, {}, epsilon, heads, -1);
}

/// Rows, or each head's columns, of one trainable length, named `name`.scale, that starts at `start`.
constexpr expr scaled_length(expr x, label name, double start, double epsilon = 1e-10, int heads = 1) {
  detail::width_of_head(x, heads);
  const short scale =
      declare(*x.g, {.name = join(name, "scale"), .role = role::scalar, .rows = 1, .start = start});
  return detail::rms_node(record_of<length_norm_op>, x, name, epsilon, heads, scale);
}

}  // namespace ops

}  // namespace formwork
