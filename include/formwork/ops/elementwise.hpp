#pragma once
#include <formwork/core/dual.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/graph/call.hpp>

namespace formwork {

/// y = f(x) for every element, f a struct with a `name` and `template <class V> V operator()(V x) const`. The
/// derivative comes from dual numbers. With `static constexpr bool gates = true`, f'(x) = (f(x) > 0), the op
/// reads its result instead of its operand, so the operand need not be kept.
/// Gradient: dx = dy f'(x)
template <class F>
struct elementwise_op {
  static constexpr label name = F::name;
  static constexpr bool gates = requires { requires F::gates; };

  static constexpr backward_reads reads(const node&) {
    return gates ? backward_reads{.output = true} : backward_reads{.inputs = 0b1};
  }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::map(c.backend, c.out, F{}, c.in[0]);
  }
  template <class Call>
  static void backward(const Call& c) {
    const auto& point = gates ? c.out : c.in[0];
    if (c.adds[0])
      cpu::map(
          c.backend, c.d_in[0], [](auto dy, auto x, auto dx) { return dx + dy * slope(x); }, c.d_out, point,
          c.d_in[0]);
    else cpu::map(c.backend, c.d_in[0], [](auto dy, auto x) { return dy * slope(x); }, c.d_out, point);
  }

  /// The two kernels for the epilogue of a linear op.
  template <class T>
  static constexpr element_kernels<T> element() {
    return {[](T* y, const T* x, index_t n) { cpu::map_row(y, n, F{}, x); },
            [](T* dx, const T* dy, const T* x, index_t n) {
              cpu::map_row(dx, n, [](auto d, auto v) { return d * slope(v); }, dy, x);
            }};
  }

 private:
  /// f'(x); for a gate the argument is f(x).
  template <class V>
  static V slope(V x) {
    if constexpr (gates) return where(x > V(0), V(1), V(0));
    else return derivative(F{}, x).slope;
  }
};

namespace ops {

/// f(x), element by element.
template <class F>
constexpr expr apply(F, expr x) {
  return push(*x.g, {.op = &record_of<elementwise_op<F>>, .in = {x.id, -1, -1, -1}, .width = x.width(),
                     .rows = x.rows()});
}

}  // namespace ops

}  // namespace formwork
