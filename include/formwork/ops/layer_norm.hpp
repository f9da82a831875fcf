#pragma once
#include <formwork/kernels/cpu/layer_norm.hpp>
#include <formwork/graph/call.hpp>
#include <formwork/ops/heads.hpp>

namespace formwork {

/// Normalises each row, or each head's columns of it, to zero mean and unit variance, then scales and shifts.
/// Shapes:   x [N, H K], gain [K], bias [K] -> y [N, H K]; keeps mean and 1 / standard deviation, [N, H 2]
/// Gradient: dx = rstd (dh - mean(dh) - xhat mean(dh xhat)), dh = dy gain;
///           dgain = sum dy xhat; dbias = sum dy
/// Source:   Ba, Kiros, Hinton 2016, eq. 3 and 4; biased variance, epsilon inside the root
struct layer_norm_op {
  static constexpr label name = "layer_norm";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  static constexpr index_t saved_width(const node& n) { return 2 * detail::heads_of(n); }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 8.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    for (int h = 0; h < detail::heads_of(c.n); ++h)
      cpu::layer_norm_forward<T>(c.backend, detail::head(c.in[0], c.n, h), c.parameter[0], c.parameter[1],
                                 c.n.alpha, detail::head(c.out, c.n, h), c.saved.columns(2 * h, 2));
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    for (int h = 0; h < detail::heads_of(c.n); ++h)
      cpu::layer_norm_backward<T>(c.backend, detail::head(c.d_out, c.n, h), detail::head(c.in[0], c.n, h),
                                  c.saved.columns(2 * h, 2), c.parameter[0], detail::head(c.d_in[0], c.n, h),
                                  c.adds[0], c.d_parameter[0], c.d_parameter[1]);
  }
};

namespace ops {

/// LayerNorm with trainable gain (starts at 1) and bias (starts at 0), named `name`.gain and `name`.bias;
/// `heads` > 1: over each head's columns, with one gain and bias for all heads.
/// Error: heads that do not divide the width.
constexpr expr layer_norm(expr x, label name, double epsilon = 1e-5, int heads = 1) {
  graph& g = *x.g;
  const index_t width = detail::width_of_head(x, heads);
  const short gain = declare(g, {.name = join(name, "gain"), .role = role::norm_gain, .rows = width});
  const short bias = declare(g, {.name = join(name, "bias"), .role = role::norm_bias, .rows = width});
  return push(g, {.op = &record_of<layer_norm_op>,
                  .in = {x.id, -1, -1, -1},
                  .width = x.width(),
                  .rows = x.rows(),
                  .parameter = {gain, bias},
                  .alpha = epsilon,
                  .heads = detail::kept_heads(heads),
                  .name = name});
}

}  // namespace ops

}  // namespace formwork
