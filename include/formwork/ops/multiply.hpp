#pragma once
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/ops/check.hpp>

namespace formwork {

/// y = a b, element by element, over rows of one axis.
/// Gradient: da = dy b, db = dy a
struct multiply_op {
  static constexpr label name = "multiply";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b11}; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::map(
        c.backend, c.out, [](auto a, auto b) { return a * b; }, c.in[0], c.in[1]);
  }
  template <class Call>
  static void backward(const Call& c) {
    for (const int k : {0, 1}) {
      if (c.adds[k])
        cpu::map(
            c.backend, c.d_in[k], [](auto dy, auto other, auto d) { return d + dy * other; }, c.d_out,
            c.in[1 - k], c.d_in[k]);
      else
        cpu::map(
            c.backend, c.d_in[k], [](auto dy, auto other) { return dy * other; }, c.d_out, c.in[1 - k]);
    }
  }
};

namespace ops {

/// a b, element by element; also written a * b.
/// Error: the operands differ in width or token axis.
constexpr expr multiply(expr a, expr b) {
  if (!same_rows(a, b)) throw "multiply: both sides must run over the same token axis";
  if (a.width() != b.width()) throw "multiply: both sides must have the same width";
  return push(
      *a.g,
      {.op = &record_of<multiply_op>, .in = {a.id, b.id, -1, -1}, .width = a.width(), .rows = a.rows()});
}

}  // namespace ops

/// a b, element by element.
constexpr expr operator*(expr a, expr b) { return ops::multiply(a, b); }

}  // namespace formwork
