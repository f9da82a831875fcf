#pragma once
#include <formwork/kernels/cpu/layer_norm.hpp>
#include <formwork/graph/call.hpp>

namespace formwork {

/// Normalises each row to zero mean and unit variance, then scales and shifts it.
/// Shapes:   x [N, D], gain [D], bias [D] -> y [N, D]; keeps mean and 1 / standard deviation, [N, 2]
/// Gradient: dx = rstd (dh - mean(dh) - xhat mean(dh xhat)), dh = dy gain;
///           dgain = sum dy xhat; dbias = sum dy
/// Source:   Ba, Kiros, Hinton 2016, eq. 3 and 4; biased variance, epsilon inside the root
struct layer_norm_op {
  static constexpr label name = "layer_norm";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  static constexpr index_t saved_width(const node&) { return 2; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 8.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::layer_norm_forward<T>(c.backend, c.in[0], c.parameter[0], c.parameter[1], c.n.alpha, c.out, c.saved);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::layer_norm_backward<T>(c.backend, c.d_out, c.in[0], c.saved, c.parameter[0], c.d_in[0], c.adds[0],
                                c.d_parameter[0], c.d_parameter[1]);
  }
};

namespace ops {

/// LayerNorm with trainable gain (starts at 1) and bias (starts at 0), named `name`.gain and `name`.bias.
constexpr expr layer_norm(expr x, label name, double epsilon = 1e-5) {
  graph& g = *x.g;
  const short gain = declare(g, {.name = join(name, "gain"), .role = role::norm_gain, .rows = x.width()});
  const short bias = declare(g, {.name = join(name, "bias"), .role = role::norm_bias, .rows = x.width()});
  return push(g, {.op = &record_of<layer_norm_op>,
                  .in = {x.id, -1, -1, -1},
                  .width = x.width(),
                  .rows = x.rows(),
                  .parameter = {gain, bias},
                  .alpha = epsilon,
                  .name = name});
}

}  // namespace ops

}  // namespace formwork
