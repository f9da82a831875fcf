#include <formwork/graph/reverse.hpp>

#include <doctest/doctest.h>

#include <formwork/ops/add.hpp>
#include <formwork/ops/fusions.hpp>
#include <formwork/ops/layer_norm.hpp>

using namespace formwork;

namespace {

constexpr index_t width = 8;

template <class F>
constexpr graph layer(F equation) {
  graph g{};
  const expr y = equation(stream_input(g, width, axis::source));
  g.outputs[0] = y.id;
  g.output_count = 1;
  return g;
}

constexpr int count(const gradient_program& p, gradient_step::kind what) {
  int n = 0;
  for (int t = 0; t < p.count; ++t) n += p.steps[t].what == what;
  return n;
}

constexpr expr square(expr x, label name) { return ops::linear(x, width, name, role::up); }

}  // namespace

TEST_CASE("reverse: a residual passes its gradient on without a copy or an addition of its own") {
  static constexpr graph g = layer([](expr x) { return x + square(ops::layer_norm(x, "norm"), "f"); });
  static constexpr gradient_program p = differentiate(g);
  static_assert(count(p, gradient_step::copy) == 0 && count(p, gradient_step::add) == 0);
  static_assert(p.count == 2, "the linear and the norm have kernels, the addition has none");
  // The norm adds to the stream's gradient, which still holds what the residual passed on.
  CHECK(p.steps[1].node == 1);
  CHECK(p.steps[1].adds[0]);
  CHECK(p.steps[1].d_in[0].where == region::stream);
}

TEST_CASE("reverse: a gradient that two values share is copied before one of them changes it") {
  // d(a) and d(b) are the same buffer at first; a's other use adds to d(a) while d(b) is still to be read.
  static constexpr graph g = layer([](expr x) {
    const expr b = square(x, "b");
    const expr a = square(x, "a");
    return (a + b) + square(a, "c");
  });
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::copy) == 1);
}

TEST_CASE("reverse: one value as both operands gets both gradients") {
  static constexpr graph g = layer([](expr x) {
    const expr y = square(x, "f");
    return y + y;
  });
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::copy) + count(p, gradient_step::add) >= 1);
}

TEST_CASE("reverse: an input that nothing reads gets a zero gradient") {
  static constexpr graph g = [] {
    graph g{};
    const expr x = stream_input(g, width, axis::source);
    stream_input(g, width, axis::source);
    g.outputs[0] = square(x, "f").id;
    g.output_count = 1;
    return g;
  }();
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::zero) == 1);
  CHECK(p.steps[p.count - 1].d_in[0].stream == 1);
}
