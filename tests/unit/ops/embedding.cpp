#include <formwork/ops/embedding.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;

namespace {

struct source_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    detail::set_outputs(
        g, std::array{ops::embedding(g, axis::source, parameter::source_vocabulary, 5, "table.weight", 3.0)});
    return g;
  }();
};
/// A fixed number of rows, and one table read twice.
struct fixed_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr a = ops::embedding(g, axis::target, 7, 3, "table.weight", 1.0),
               b = ops::embedding(g, axis::target, 7, 3, "table.weight", 0.5);
    detail::set_outputs(g, std::array{a + b});
    return g;
  }();
};

}  // namespace

TEST_CASE("embedding: the row of each token, scaled; gradients of equal tokens add up") {
  layer_run<source_layer> run(std::vector<index_t>{2, 2}, {}, 9);
  const token_t ids[4] = {8, 0, 8, 3};
  run.pass.ids[0] = ids;
  const auto table = run.parameters().value("table.weight");
  REQUIRE((table.rows == 9 && table.width == 5));
  formwork_test::fill_normal(table, 1);
  run.forward();
  for (index_t r = 0; r < 4; ++r)
    for (index_t c = 0; c < 5; ++c) CHECK(run.output(0).row(r)[c] == 3 * table.row(ids[r])[c]);
  for (index_t i = 0; i < 20; ++i) run.gradient(0).data[i] = double(i);
  run.backward();
  const auto d = run.parameters().gradient("table.weight");
  for (index_t c = 0; c < 5; ++c) {
    CHECK(d.row(8)[c] == 3 * (double(c) + 10 + double(c)));
    CHECK(d.row(3)[c] == 3 * (15 + double(c)));
    CHECK(d.row(1)[c] == 0);
  }
}

TEST_CASE("embedding: gradients of the table") {
  CHECK(formwork_test::gradients_pass<source_layer>() == 1);
  CHECK(formwork_test::gradients_pass<fixed_layer>({.source = {}, .target = {5, 0, 6}}) == 1);
}

TEST_CASE("embedding: a token outside the vocabulary is an error that names it") {
  layer_run<source_layer> run(std::vector<index_t>{2}, {}, 9);
  const token_t high[2] = {8, 9}, low[2] = {-1, 0};
  for (const token_t* ids : {high, low}) {
    run.pass.ids[0] = ids;
    CHECK_THROWS_WITH_AS(run.forward(), doctest::Contains("9"), error);
  }
}
