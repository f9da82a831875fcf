#pragma once
#include <formwork/kernels/cpu/linear.hpp>
#include <formwork/ops/dropout.hpp>

namespace formwork {

/// y = dropout(f(x W^T + b)) + r: a matrix product with its epilogue. Equations only write x W^T + b; the
/// fusion table adds the element function f, the dropout and the residual r, and joins products that share
/// their operand.
/// Shapes:   x [N, K], W [D, K], b [D], r [N, D] -> y [N, D]; keeps f's argument where f' needs it
/// Gradient: dz = f'(z) mask dy; dx = dz W, dW = dz^T x, db = sum dz; dr = dy
struct linear_op {
  static constexpr label name = "linear";
  static constexpr bool drops = true;
  static constexpr bool keeps_argument(const node& n) { return n.activation && !n.activation->gates; }

  static constexpr backward_reads reads(const node& n) {
    return {.inputs = 0b1, .output = n.activation && n.activation->gates};
  }
  static constexpr unsigned passes(const node& n) { return n.in[1] >= 0 ? 0b10u : 0u; }
  static constexpr index_t saved_width(const node& n) { return keeps_argument(n) ? n.width : 0; }
  static constexpr row_cost cost(const graph& g, const node& n) {
    return {.flops = 2.0 * double(g[n.in[0]].width) * double(n.width)};
  }

  template <class Call>
  static void forward(const Call& c) {
    cpu::linear_forward(c.backend, arguments(c));
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::linear_backward(c.backend, arguments(c), c.d_out, c.d_in[0], c.adds[0], c.d_parameter[0],
                         c.d_parameter[1]);
  }

 private:
  template <class Call>
  static auto arguments(const Call& c) {
    using T = typename Call::scalar;
    return cpu::linear_arguments<T>{.x = c.in[0],
                                    .weight = c.parameter[0],
                                    .bias = c.parameter[1],
                                    .residual = c.in[1],
                                    .y = c.out,
                                    .argument = c.saved,
                                    .apply = c.activation.apply,
                                    .scale_by_slope = c.activation.scale_by_slope,
                                    .gates = c.n.activation && c.n.activation->gates,
                                    .dropout = site_of(c)};
  }
};

namespace ops {

/// x W^T + b with `out` columns; the parameters are `name`.weight [out, width of x] and `name`.bias [out].
constexpr expr linear(expr x, index_t out, label name, role weight_role, bool with_bias = true) {
  graph& g = *x.g;
  if (out < 1) throw "linear: the number of outputs must be at least 1";
  const short weight = declare(
      g, {.name = join(name, "weight"), .role = weight_role, .rows = out, .columns = x.width()});
  const short bias =
      with_bias ? declare(g, {.name = join(name, "bias"), .role = role::bias, .rows = out}) : short(-1);
  return push(g, {.op = &record_of<linear_op>, .in = {x.id, -1, -1, -1}, .width = out, .rows = x.rows(),
                  .parameter = {weight, bias}, .name = name});
}

}  // namespace ops

}  // namespace formwork
