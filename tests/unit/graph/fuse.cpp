#include <formwork/graph/fuse.hpp>

#include <doctest/doctest.h>

#include <formwork/ops/attention.hpp>
#include <formwork/ops/elementwise.hpp>
#include <formwork/ops/fusions.hpp>
#include <formwork/policy/activation/activation.hpp>

using namespace formwork;

namespace {

template <class F>
constexpr graph fused(F equation) {
  graph g{};
  const expr y = equation(stream_input(g, 8, axis::source));
  g.outputs[0] = y.id;
  g.output_count = 1;
  return fuse(g, standard_fusions);
}

constexpr expr up(expr x) { return ops::linear(x, 8, "up", role::up); }

}  // namespace

TEST_CASE("fuse: activation, dropout and residual end in the epilogue of their product") {
  static constexpr graph g = fused([](expr x) {
    const expr h = ops::dropout(ops::apply(relu{}, up(x)), dropout_place::activation);
    return x + ops::dropout(ops::linear(h, 8, "down", role::down), dropout_place::residual);
  });
  static_assert(g.count == 3, "input and two products");
  CHECK(g[1].activation == &record_of<elementwise_op<relu>>);
  CHECK(g[1].dropout == dropout_place::activation);
  CHECK(g[2].in[1] == 0);
  CHECK(g[2].dropout == dropout_place::residual);
}

TEST_CASE("fuse: a value that is used elsewhere too stays a node of its own") {
  static constexpr graph g = fused([](expr x) {
    const expr z = up(x);
    return ops::apply(relu{}, z) + z;
  });
  CHECK(g.count == 4);
  CHECK(g[1].activation == nullptr);
}

TEST_CASE("fuse: queries, keys and values of one operand are one product, seen through three slices") {
  static constexpr graph g = fused([](expr x) {
    const expr q = ops::linear(x, 8, "query", role::query), k = ops::linear(x, 8, "key", role::key),
               v = ops::linear(x, 8, "value", role::value);
    return ops::attention(q, k, v, 2, false);
  });
  CHECK(g[1].width == 24);
  CHECK(g[1].parts == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(g[2 + i].op == &record_of<slice_op>);
    CHECK(g[2 + i].column == 8 * i);
  }
  CHECK(g[5].in[2] == 4);
}

TEST_CASE("fuse: products whose matrices do not lie behind each other stay apart") {
  static constexpr graph g = fused([](expr x) {
    const expr q = ops::linear(x, 8, "query", role::query);
    const expr other = ops::linear(q, 8, "between", role::up);
    return ops::linear(x, 8, "key", role::key) + other;
  });
  for (int i = 0; i < g.count; ++i) CHECK(g[i].parts == 1);
}

TEST_CASE("fuse: what no output needs is removed") {
  static constexpr graph g = fused([](expr x) {
    up(x);
    return ops::linear(x, 8, "down", role::down);
  });
  CHECK(g.count == 2);
}

TEST_CASE("graph: the same subexpression written twice is one node") {
  graph g{};
  const expr x = stream_input(g, 8, axis::source);
  CHECK(up(x).id == up(x).id);
  CHECK((x + up(x)).id == (x + up(x)).id);
  CHECK(g.count == 3);
}
