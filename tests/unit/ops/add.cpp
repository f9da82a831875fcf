#include <formwork/ops/add.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;

namespace {

struct doubled {
  static constexpr expr y(expr x) { return x + x; }
};
struct scaled {
  static constexpr expr y(expr x) { return -0.25 * x + x; }
};
struct by_layer {
  static constexpr expr y(expr x) {
    return ops::scale_by_layer([](const layer_place& p) { return p.layer + 1 + 0.1 * p.layers(); }, x);
  }
};
/// The same value scaled by two numbers, and a sum of sums: gradients are shared, added and copied.
struct tangle {
  static constexpr expr y(expr x) {
    const expr a = 2.0 * x, b = 3.0 * a;
    return (a + b) + (x + a);
  }
};

}  // namespace

TEST_CASE("add: values of sums and multiples") {
  const std::vector<index_t> lengths{1, 2};
  layer_run<equation_layer<doubled, 5>> sum(lengths, {});
  layer_run<equation_layer<scaled, 5>> difference(lengths, {});
  layer_run<equation_layer<tangle, 5>> all(lengths, {});
  for (auto* x : {&sum}) formwork_test::fill_normal(x->input(0), 1);
  formwork_test::fill_normal(difference.input(0), 1);
  formwork_test::fill_normal(all.input(0), 1);
  sum.forward(), difference.forward(), all.forward();
  for (index_t i = 0; i < 15; ++i) {
    const double x = sum.input(0).data[i];
    CHECK(sum.output(0).data[i] == 2 * x);
    CHECK(difference.output(0).data[i] == doctest::Approx(0.75 * x).epsilon(1e-14));
    CHECK(all.output(0).data[i] == doctest::Approx(11 * x).epsilon(1e-14));
  }
}

TEST_CASE("add: a factor by layer sees the index and the depth") {
  layer_run<equation_layer<by_layer, 3>> run(std::vector<index_t>{1}, {});
  run.input(0).data[1] = 1;
  for (const int layer : {0, 4}) {
    run.pass.place = {stack_kind::encoder, layer, 10, 0};
    run.forward();
    CHECK(run.output(0).data[1] == layer + 2.0);
  }
}

TEST_CASE("add: gradients of sums, of one value twice, of shared values") {
  CHECK(formwork_test::gradients_pass<equation_layer<doubled, 5>>() == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<scaled, 1>>({.source = {1}}) == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<by_layer, 3>>() == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<tangle, 17>>({.source = {2, 0, 31}}) == 1);
}

TEST_CASE("add: operands that do not fit are told in a sentence") {
  graph g{}, other{};
  const expr x = stream_input(g, 4, axis::source), wide = stream_input(g, 5, axis::source),
             target = stream_input(g, 4, axis::target), foreign = stream_input(other, 4, axis::source);
  CHECK_THROWS_WITH(x + wide, "residual add: both sides must have the same width");
  CHECK_THROWS_WITH(x + target, "residual add: both sides must run over the same token axis");
  CHECK_THROWS_WITH(x + foreign, "graph: two values of different layers meet in one equation");
}
