#include <formwork/ops/slice.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;

namespace {

/// Three products of one value, each used in another way: after fusion they are columns of one.
struct columns {
  static constexpr expr y(expr x) {
    const expr a = ops::linear(x, 3, "a", role::query), b = ops::linear(x, 3, "b", role::key),
               c = ops::linear(x, 3, "c", role::value);
    return a + (2.0 * b + a) + c;
  }
};

}  // namespace

TEST_CASE("slice: a view of columns owns no memory") {
  constexpr const graph& g = layer_run<equation_layer<columns, 4>>::table;
  int views = 0;
  for (int i = 0; i < g.count; ++i) {
    if (!g[i].op || !g[i].op->view) continue;
    CHECK(g[i].op == &record_of<slice_op>);
    CHECK(owner_of(g, i) == 1);
    CHECK(column_of(g, i) == 3 * views++);
  }
  CHECK(views == 3);
}

TEST_CASE("slice: values and gradients through views are those of separate products") {
  layer_run<equation_layer<columns, 4>> run(std::vector<index_t>{2, 1}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  const auto product = [&](const char* name, index_t r, index_t c) {
    double sum = run.parameters().value(text(name, ".bias")).data[c];
    for (index_t k = 0; k < 4; ++k)
      sum += run.input(0).row(r)[k] * run.parameters().value(text(name, ".weight")).row(c)[k];
    return sum;
  };
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 3; ++c)
      CHECK(run.output(0).row(r)[c] ==
            doctest::Approx(2 * product("a", r, c) + 2 * product("b", r, c) + product("c", r, c))
                .epsilon(1e-12));
  CHECK(formwork_test::gradients_pass<equation_layer<columns, 4>>() == 7);
}
