#pragma once
#include <formwork/kernels/cpu/gate.hpp>
#include <formwork/ops/check.hpp>
#include <formwork/ops/dropout.hpp>

namespace formwork {

/// y = dropout(f(a) b), element by element: the hidden values of a gated feed-forward block in one pass,
/// without f(a) in memory. f is an element function as in elementwise_op; the fusion table adds the dropout.
/// Gradient: with d = mask dy: da = d b f'(a), db = d f(a)
/// Source:   Dauphin et al. 2017, eq. 1; Shazeer 2020, eq. 5
template <class F>
struct gate_op {
  static constexpr label name = F::name;
  static constexpr bool drops = true;
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b11}; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 2.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::gate_forward<T>(c.backend, F{}, c.in[0], c.in[1], c.out, site_of(c));
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::gate_backward<T>(c.backend, F{}, c.d_out, c.in[0], c.in[1], c.d_in[0], c.adds[0], c.d_in[1],
                          c.adds[1], site_of(c));
  }
};

namespace ops {

/// f(a) b, element by element.
/// Error: the operands differ in width or token axis.
template <class F>
constexpr expr gate(F, expr a, expr b) {
  if (!same_rows(a, b)) throw "gate: both sides must run over the same token axis";
  if (a.width() != b.width()) throw "gate: both sides must have the same width";
  return push(
      *a.g, {.op = &record_of<gate_op<F>>, .in = {a.id, b.id, -1, -1}, .width = a.width(), .rows = a.rows()});
}

}  // namespace ops

}  // namespace formwork
