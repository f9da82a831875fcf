#include <formwork/kernels/cpu/columns.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "../../support/random.hpp"

using namespace formwork;
using formwork_test::normal_numbers;

TEST_CASE("columns: groups are spread, and summed again in double precision") {
  const float from[3] = {1, 2, 3};
  float to[12]{}, sums[3] = {100, 0, 0};
  cpu::spread_groups(from, 3, 12, to);
  for (index_t c = 0; c < 12; ++c) CHECK(to[c] == from[c / 4]);
  to[5] = 16777216;  // 2^24: in float it would swallow the 2 that comes next, and the 2 after it
  to[6] = 1, to[7] = 1;
  cpu::add_groups(to, 12, 3, sums);
  CHECK((sums[0] == 104 && sums[1] == 16777220 && sums[2] == 12));
}

TEST_CASE_TEMPLATE("columns: equal to plain loops at any width, with strides, written and added", T, float,
                   double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 16, 31, 33, 64, 67, 130, 257}) {
    for (const index_t groups : {index_t{1}, width}) {
      CAPTURE(width);
      CAPTURE(groups);
      const index_t rows = 41;
      const auto x = normal_numbers<T>(rows * (width + 3), 1), dy = normal_numbers<T>(rows * (width + 2), 2),
                 factor = normal_numbers<T>(groups, 3);
      storage<T> y(rows * (width + 1)), dfactor(groups), shifted(rows * width), dshift(groups);
      for (T& v : y) v = T(77);
      const matrix_view<const T> xs{x.data(), rows, width, width + 3}, dys{dy.data(), rows, width, width + 2};
      const matrix_view<T> ys{y.data(), rows, width, width + 1};
      cpu::scale_columns<T>(backend, xs, factor.data(), groups, ys);
      cpu::shift_columns<T>(backend, xs, factor.data(), groups, {shifted.data(), rows, width});
      for (index_t r = 0; r < rows; ++r) {
        for (index_t c = 0; c < width; ++c) {
          REQUIRE(ys.row(r)[c] == xs.row(r)[c] * factor[c * groups / width]);
          REQUIRE(shifted[r * width + c] == xs.row(r)[c] + factor[c * groups / width]);
        }
        REQUIRE(ys.row(r)[width] == T(77));
      }
      for (const bool add : {false, true})
        cpu::scale_columns_backward<T>(backend, dys, xs, factor.data(), groups, ys, add, dfactor.data());
      cpu::shift_columns_backward<T>(backend, dys, groups, dshift.data());
      std::vector<double> expected(std::size_t(groups), 0.0), expected_shift(std::size_t(groups), 0.0);
      for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < width; ++c) {
          const double d = double(dys.row(r)[c]), f = double(factor[c * groups / width]);
          REQUIRE(double(ys.row(r)[c]) == doctest::Approx(2 * d * f).epsilon(1e-6));
          expected[std::size_t(c * groups / width)] += 2 * d * double(xs.row(r)[c]);
          expected_shift[std::size_t(c * groups / width)] += d;
        }
      for (index_t g = 0; g < groups; ++g) {
        REQUIRE(std::fabs(double(dfactor[g]) - expected[std::size_t(g)]) < 2e-4);
        REQUIRE(std::fabs(double(dshift[g]) - expected_shift[std::size_t(g)]) < 2e-4);
      }
      for (index_t r = 0; r < rows; ++r) REQUIRE(ys.row(r)[width] == T(77));
    }
  }
}

TEST_CASE("columns: shapes that do not fit are refused, no rows change nothing") {
  cpu_backend backend(1);
  double x[12]{}, factor[5] = {1, 2, 3, 4, 5}, sums[5]{};
  CHECK_THROWS_WITH_AS(cpu::scale_columns<double>(backend, {x, 2, 6}, factor, 4, {x, 2, 6}),
                       doctest::Contains("with 4 numbers for the columns"), error);
  CHECK_THROWS_AS(cpu::shift_columns<double>(backend, {x, 2, 6}, factor, 3, {x, 2, 5}), error);
  CHECK_THROWS_AS(cpu::scale_columns<double>(backend, {x, 2, 6}, factor, 0, {x, 2, 6}), error);
  cpu::scale_columns_backward<double>(backend, {x, 0, 5}, {x, 0, 5}, factor, 5, {x, 0, 5}, false, sums);
  cpu::shift_columns_backward<double>(backend, {x, 0, 5}, 5, sums);
  for (const double s : sums) CHECK(s == 0);
}
