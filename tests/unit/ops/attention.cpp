#include <formwork/ops/attention.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <int Heads, bool Causal>
struct self {
  static constexpr expr y(expr x) {
    return ops::attention(2.0 * x, ops::linear(x, x.width(), "k", role::key), 0.5 * x, Heads, Causal);
  }
};
/// Queries, keys and values are the same value: three gradients meet in one buffer.
struct same {
  static constexpr expr y(expr x) {
    const expr z = 1.5 * x;
    return ops::attention(z, z, z, 2, true);
  }
};
template <int Heads>
struct cross_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr x = stream_input(g, 6, axis::target), memory = memory_input(g, 6);
    detail::set_outputs(g, std::array{ops::attention(x, memory, 0.5 * memory, Heads, false)});
    return g;
  }();
};

/// Two layers of non-causal attention on the target axis: they train, but do not decode.
struct looks_ahead {
  static constexpr expr y(expr x) {
    const expr z = x + ops::attention(2.0 * x, x, 0.5 * x, 2, false);
    return ops::attention(z, 0.5 * z, 2.0 * z, 2, false);
  }
};

/// Grouped heads, bias, window and cap together: keys and values are half as wide.
template <bool Causal>
struct every_form {
  static constexpr expr y(expr x) {
    const index_t half = x.width() / 2;
    return ops::attention(2.0 * x, ops::linear(x, half, "k", role::key),
                          ops::linear(x, half, "v", role::value), 4, Causal,
                          {.key_heads = 2, .distance_bias = true, .window = 2, .cap = 3});
  }
};

/// softmax(q k^T / sqrt(K)) v for one query row and one head, by plain loops.
void attend(const double* q, const matrix_view<double>& k, const matrix_view<double>& v, index_t first,
            index_t count, index_t column, index_t width, double* out) {
  std::vector<double> p(std::size_t(count), 0);
  double sum = 0;
  for (index_t t = 0; t < count; ++t) {
    double s = 0;
    for (index_t c = column; c < column + width; ++c) s += q[c] * k.row(first + t)[c];
    sum += p[std::size_t(t)] = std::exp(s / std::sqrt(double(width)));
  }
  for (index_t c = column; c < column + width; ++c) {
    out[c] = 0;
    for (index_t t = 0; t < count; ++t) out[c] += p[std::size_t(t)] / sum * v.row(first + t)[c];
  }
}

}  // namespace

TEST_CASE("attention: each sequence attends to its own keys, each head to its own columns") {
  layer_run<cross_layer<3>> run(std::vector<index_t>{2, 5, 1}, std::vector<index_t>{3, 1, 2});
  formwork_test::fill_normal(run.input(0), 1);
  formwork_test::fill_normal(run.memory(), 2);
  run.forward();
  std::vector<double> values(run.memory().data, run.memory().data + 8 * 6);
  for (double& v : values) v *= 0.5;
  for (index_t b = 0; b < 3; ++b)
    for (index_t r = run.pass.rows[1].begin(b); r < run.pass.rows[1].start[b + 1]; ++r) {
      double expected[6];
      for (index_t h = 0; h < 3; ++h)
        attend(run.input(0).row(r), run.memory(), {values.data(), 8, 6}, run.pass.rows[0].begin(b),
               run.pass.rows[0].length(b), 2 * h, 2, expected);
      for (index_t c = 0; c < 6; ++c)
        CHECK(run.output(0).row(r)[c] == doctest::Approx(expected[c]).epsilon(1e-12));
    }
}

TEST_CASE("attention: a causal row changes with what stands before it only") {
  layer_run<equation_layer<self<1, true>, 4>> run(std::vector<index_t>{5}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  run.forward();
  const std::vector<double> before(run.output(0).data, run.output(0).data + 20);
  run.input(0).row(3)[2] += 1;
  run.forward();
  for (index_t i = 0; i < 12; ++i) CHECK(run.output(0).data[i] == before[std::size_t(i)]);
  for (index_t i = 12; i < 20; ++i) CHECK(run.output(0).data[i] != before[std::size_t(i)]);
}

TEST_CASE("attention: gradients of causal, full and cross attention") {
  CHECK(gradients_pass<equation_layer<self<2, true>, 6>>() == 3);
  CHECK(gradients_pass<equation_layer<self<1, false>, 7>>({.source = {1}}) == 3);
  CHECK(gradients_pass<equation_layer<self<13, true>, 13>>({.source = {11, 0, 2}}) == 3);
  CHECK(gradients_pass<equation_layer<same, 6>>() == 1);
  CHECK(gradients_pass<cross_layer<2>>() == 2);
  CHECK(gradients_pass<cross_layer<6>>({.source = {0, 7}, .target = {3, 2}}) == 2);
}

TEST_CASE("attention: a layer that sees later rows of the target trains, though it cannot decode") {
  CHECK(gradients_pass<equation_layer<looks_ahead, 6, axis::target>>() == 1);
}

TEST_CASE("attention: gradients with dropout of the probabilities") {
  gradients_pass<equation_layer<self<2, true>, 6>>({}, {.attention = 0.3});
  gradients_pass<cross_layer<2>>({}, {.attention = 0.5});
}

TEST_CASE("attention: gradients with grouped heads, bias, window and cap; the same bits for all threads") {
  CHECK(gradients_pass<equation_layer<every_form<true>, 12>>({.source = {7, 0, 1, 5}}) == 5);
  CHECK(gradients_pass<equation_layer<every_form<false>, 8>>({.source = {1, 11}}) == 5);
  formwork_test::runs_alike<equation_layer<every_form<true>, 12>>();
}

TEST_CASE("attention: operands that do not fit are told in a sentence") {
  graph g{}, other{};
  const expr foreign = stream_input(other, 6, axis::source);
  const expr x = stream_input(g, 6, axis::source), y = stream_input(g, 6, axis::target),
             narrow = stream_input(g, 4, axis::source);
  CHECK_THROWS_WITH(ops::attention(x, x, x, 4, false), "attention: d_model must be a multiple of heads");
  CHECK_THROWS_WITH(ops::attention(x, x, x, 0, false), "attention: heads must be at least 1");
  CHECK_THROWS_WITH(ops::attention(x, narrow, x, 2, false),
                    "attention: queries, keys and values must have one width");
  CHECK_THROWS_WITH(ops::attention(y, x, y, 2, false),
                    "attention: keys and values must run over the same token axis");
  CHECK_THROWS_WITH(ops::attention(y, x, x, 2, true),
                    "attention: causal attention needs queries and keys on one token axis");
  CHECK_THROWS_WITH(ops::attention(x, x, x, 3, false, {.key_heads = 2}),
                    "attention: heads must be a multiple of the heads of keys and values");
  CHECK_THROWS_WITH(ops::attention(x, narrow, narrow, 3, false, {.key_heads = 1}),
                    "attention: keys and values must have the width of a head times their heads");
  CHECK_THROWS_WITH(ops::attention(x, x, x, 3, false, {.window = -1}),
                    "attention: a window and a cap must be 0 (none) or more");
  CHECK_THROWS_WITH(ops::attention(y, x, x, 2, false, {.distance_bias = true}),
                    "attention: a distance bias or a window needs queries and keys on one token axis");
  CHECK(ops::attention(x, x, x, 3, false, {.key_heads = 3}).id == ops::attention(x, x, x, 3, false).id);
  CHECK_THROWS_WITH(ops::attention(foreign, x, x, 2, false),
                    "graph: two values of different layers meet in one equation");
}
