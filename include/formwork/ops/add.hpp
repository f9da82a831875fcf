#pragma once
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/ops/check.hpp>

namespace formwork {

/// y = a + b over rows of one axis: the residual connection.
/// Gradient: da = dy, db = dy; the graph hands dy on without a copy.
struct add_op {
  static constexpr label name = "add";
  static constexpr unsigned passes(const node&) { return 0b11; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::map(
        c.backend, c.out, [](auto a, auto b) { return a + b; }, c.in[0], c.in[1]);
  }
  template <class Call>
  static void backward(const Call&) {}  // nothing is left to do: both gradients pass
};

/// y = alpha x, alpha a number or a function of the layer's index and the stack's depth.
/// Gradient: dx = alpha dy
struct scale_op {
  static constexpr label name = "scale";
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    scale(c, c.in[0], c.out, false);
  }
  template <class Call>
  static void backward(const Call& c) {
    scale(c, c.d_out, c.d_in[0], c.adds[0]);
  }

 private:
  template <class Call, class View>
  static void scale(const Call& c, View x, View y, bool add) {
    using T = typename Call::scalar;
    const T alpha = T(c.alpha());
    if (add)
      cpu::map(
          c.backend, y, [alpha](auto a, auto b) { return a * decltype(a)(alpha) + b; }, x, y);
    else
      cpu::map(
          c.backend, y, [alpha](auto a) { return a * decltype(a)(alpha); }, x);
  }
};

/// a + b. Error: the operands differ in width or token axis.
constexpr expr operator+(expr a, expr b) {
  if (!same_rows(a, b)) throw "residual add: both sides must run over the same token axis";
  if (a.width() != b.width()) throw "residual add: both sides must have the same width";
  return push(*a.g,
              {.op = &record_of<add_op>, .in = {a.id, b.id, -1, -1}, .width = a.width(), .rows = a.rows()});
}

/// alpha x.
constexpr expr operator*(double alpha, expr x) {
  return push(*x.g, {.op = &record_of<scale_op>,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .alpha = alpha});
}

/// a - b. Error: as a + b.
constexpr expr operator-(expr a, expr b) { return a + (-1.0) * b; }

namespace ops {

/// alpha(place of the layer) x: a factor that depends on the layer and the depth, with one compiled layer.
constexpr expr scale_by_layer(double (*alpha)(const layer_place&), expr x) {
  return push(*x.g, {.op = &record_of<scale_op>,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .alpha_of_layer = alpha});
}

}  // namespace ops

}  // namespace formwork
