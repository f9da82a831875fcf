#include <formwork/ops/columns.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

struct by_column {
  static constexpr expr y(expr x) { return ops::scale_columns(x, "lambda", 0.1); }
};
struct by_number {
  static constexpr expr y(expr x) { return ops::scale_by(x, "lambda", 0.25); }
};
struct by_head {
  static constexpr expr y(expr x) { return ops::head_scale(x, 3, "lambda", 1); }
};
struct shifted {
  static constexpr expr y(expr x) { return ops::shift_by(x, "lambda", -2); }
};
/// One behind the other, with the operand going on beside them.
struct all {
  static constexpr expr y(expr x) {
    const expr a = ops::head_scale(ops::shift_by(x, "a", 0), 3, "b", 1);
    return ops::scale_columns(ops::scale_by(a, "c", 1), "d", 1) + a * x;
  }
};

/// lambda[c * G / 6] of G = `numbers` for column c of 6.
template <class Equation>
void check_values(index_t numbers, double start) {
  layer_run<equation_layer<Equation, 6>> run(std::vector<index_t>{2, 1}, {});
  const auto lambda = run.parameters().value("lambda");
  REQUIRE((lambda.rows == numbers && lambda.width == 1));
  CHECK(run.parameters().entries()[0].info.role == role::scalar);
  CHECK(run.parameters().entries()[0].info.start == start);
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  run.forward();
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 6; ++c) {
      const double x = run.input(0).row(r)[c], l = lambda.data[c * numbers / 6];
      CHECK(run.output(0).row(r)[c] == (std::is_same_v<Equation, shifted> ? x + l : x * l));
    }
}

}  // namespace

TEST_CASE("columns: every number acts on the columns of its group and starts where the equation says") {
  check_values<by_column>(6, 0.1);
  check_values<by_number>(1, 0.25);
  check_values<by_head>(3, 1);
  check_values<shifted>(1, -2);
}

TEST_CASE("columns: gradients") {
  CHECK(gradients_pass<equation_layer<by_column, 7>>() == 2);
  CHECK(gradients_pass<equation_layer<by_column, 67>>({.source = {1, 0, 40}}) == 2);
  CHECK(gradients_pass<equation_layer<by_number, 13>>() == 2);
  CHECK(gradients_pass<equation_layer<by_head, 33>>() == 2);
  CHECK(gradients_pass<equation_layer<shifted, 5>>() == 2);
  CHECK(gradients_pass<equation_layer<by_number, 1>>({.source = {1}}) == 2);
  CHECK(gradients_pass<equation_layer<all, 9>>() == 5);
}

TEST_CASE("columns: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<all, 33>>(1e-4);
}

TEST_CASE("columns: heads that do not divide the width are an error") {
  graph g{};
  const expr x = stream_input(g, 8, axis::source);
  CHECK_THROWS_WITH(ops::head_scale(x, 3, "l", 1), "head_scale: the width must be a multiple of heads");
  CHECK_THROWS_WITH(ops::head_scale(x, 0, "l", 1), "head_scale: the width must be a multiple of heads");
}
