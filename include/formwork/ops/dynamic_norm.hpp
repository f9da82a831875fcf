#pragma once
#include <formwork/graph/call.hpp>
#include <formwork/kernels/cpu/dynamic_norm.hpp>
#include <formwork/ops/heads.hpp>

namespace formwork {

/// y = gain f(alpha x + shift) + bias, element by element, f bounded: a stand-in for a norm that looks at no
/// other element. Gain and bias are numbers of a column, of the row or of every head; alpha and shift are one
/// number each.
/// Shapes:   x [N, H K], gain and bias [K], alpha [1], shift [1] or none -> y [N, H K]
/// Gradient: with z = alpha x + shift and dz = dy gain f'(z): dx = alpha dz, dgain = sum dy f(z),
///           dbias = sum dy, dalpha = sum dz x, dshift = sum dz
/// Source:   Zhu et al. 2025 (DyT), section 4
template <class F>
struct dynamic_norm_op {
  static constexpr label name = join("dynamic", F::name);
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 4.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    for (int h = 0; h < detail::heads_of(c.n); ++h)
      cpu::dynamic_norm_forward<T>(c.backend, detail::head(c.in[0], c.n, h), F{}, values(c),
                                   detail::head(c.out, c.n, h));
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    for (int h = 0; h < detail::heads_of(c.n); ++h)
      cpu::dynamic_norm_backward<T>(c.backend, detail::head(c.d_out, c.n, h), detail::head(c.in[0], c.n, h),
                                    F{}, values(c), detail::head(c.d_in[0], c.n, h), c.adds[0],
                                    {c.d_parameter[0], c.d_parameter[1], c.d_parameter[2], c.d_parameter[3]});
  }

 private:
  template <class Call>
  static cpu::dynamic_norm_parameters<const typename Call::scalar> values(const Call& c) {
    return {c.parameter[0], c.parameter[1], c.parameter[2], c.parameter[3]};
  }
};

namespace ops {

/// gain f(alpha x + shift) + bias with the parameters `name`.gain (starts at 1), .bias (at 0), .alpha (at
/// `alpha`) and, if `shifted`, .shift (at 0).
/// Error: heads that do not divide the width.
template <class F>
constexpr expr dynamic_norm(F, expr x, label name, double alpha, bool shifted, int heads = 1) {
  graph& g = *x.g;
  const index_t width = detail::width_of_head(x, heads);
  const auto declared = [&](label own, role r, index_t rows, double start) {
    return declare(g, {.name = join(name, own), .role = r, .rows = rows, .start = start});
  };
  const short gain = declared("gain", role::norm_gain, width, 1),
              bias = declared("bias", role::norm_bias, width, 0),
              slope = declared("alpha", role::scalar, 1, alpha),
              shift = shifted ? declared("shift", role::scalar, 1, 0) : short(-1);
  return push(g, {.op = &record_of<dynamic_norm_op<F>>,
                  .in = {x.id, -1, -1, -1},
                  .width = x.width(),
                  .rows = x.rows(),
                  .parameter = {gain, bias, slope, shift},
                  .heads = detail::kept_heads(heads),
                  .name = name});
}

}  // namespace ops

}  // namespace formwork
