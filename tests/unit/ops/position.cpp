#include <formwork/ops/position.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;

namespace {

struct fixed {
  static constexpr expr y(expr x) { return ops::fixed_position(2.0 * x); }
};
struct trained {
  static constexpr expr y(expr x) { return ops::learned_position(x, 5, "position.weight"); }
};

}  // namespace

TEST_CASE("position: counted from the start of each sequence") {
  layer_run<equation_layer<fixed, 3>> run(std::vector<index_t>{2, 0, 4}, {});
  std::vector<double> code(12);
  formwork_test::fill_normal(matrix_view<double>(code.data(), 4, 3), 1);
  formwork_test::fill_normal(run.input(0), 2);
  run.pass.positions = {code.data(), 4, 3};
  run.forward();
  const index_t positions[6] = {0, 1, 0, 1, 2, 3};
  for (index_t r = 0; r < 6; ++r)
    for (index_t c = 0; c < 3; ++c)
      CHECK(run.output(0).row(r)[c] ==
            doctest::Approx(2 * run.input(0).row(r)[c] + code[std::size_t(positions[r] * 3 + c)])
                .epsilon(1e-14));
}

TEST_CASE("position: gradients of both kinds") {
  CHECK(formwork_test::gradients_pass<equation_layer<fixed, 3>>() == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<trained, 7>>({.source = {1, 5, 0, 3}}) == 2);
}

TEST_CASE("position: a sequence longer than the trained table is an error with both numbers") {
  layer_run<equation_layer<trained, 7>> exact(std::vector<index_t>{5}, {}),
      over(std::vector<index_t>{2, 6}, {});
  CHECK_NOTHROW(exact.forward());
  CHECK_THROWS_WITH_AS(over.forward(), doctest::Contains("6"), error);
  CHECK_THROWS_WITH_AS(over.forward(), doctest::Contains("5"), error);
}
