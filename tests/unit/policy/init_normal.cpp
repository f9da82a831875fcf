#include <formwork/policy/init/normal.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>
#include "../../support/initial_moments.hpp"

using namespace formwork;

TEST_CASE("normal: one deviation for every matrix and table, whatever the shape") {
  for (int r = 0; r < int(role::bias); ++r) {
    CAPTURE(r);
    const parameter_info p{.role = role(r), .rows = 30 + r, .columns = 100};
    double mean = 0, square = 0;
    for (index_t i = 0; i < p.size(); ++i) {
      const double x = normal{.stddev = 0.5}(p, {7, std::uint64_t(r)}, std::uint64_t(i)) / 0.5;
      mean += x / double(p.size());
      square += x * x / double(p.size());
    }
    CHECK(std::fabs(mean) < 4 / std::sqrt(double(p.size())));
    CHECK(std::fabs(square - 1) < 4 * std::sqrt(2 / double(p.size())));
  }
}

TEST_CASE("normal: biases and scalars start at 0, norm gains at 1, unless their op says otherwise") {
  for (const role r : {role::bias, role::norm_gain, role::scalar})
    CHECK(normal{}({.role = r, .start = 0.75}, {}, 5) == 0.75);
  for (const role r : {role::bias, role::norm_bias, role::scalar}) CHECK(normal{}({.role = r}, {}, 5) == 0);
  CHECK(normal{}({.role = role::norm_gain}, {}, 5) == 1);
}

TEST_CASE("normal: the public check accepts it, bad numbers are refused with a sentence") {
  CHECK_NOTHROW(check_initialiser(normal{}));
  CHECK_THROWS_WITH_AS(normal{.stddev = 0}.validate(),
                       "normal: stddev is 0, expected a finite number above 0", error);
}

TEST_CASE(
    "truncated_normal: nothing lies beyond the bound, and the variance is that of the cut distribution") {
  // 1 - 2 k pdf(k) / (2 cdf(k) - 1)
  const double of_two = 0.7737413035, of_three = 0.9733369246;
  for (int r = 0; r < int(role::bias); ++r) {
    CAPTURE(r);
    const parameter_info p{.role = role(r), .rows = 400, .columns = 300};
    check_variance(truncated_normal{}, p, 0.02 * 0.02 * of_two);
    check_variance(truncated_normal{.stddev = 0.5, .deviations = 3}, p, 0.25 * of_three);
    const double two = moments_of(truncated_normal{}, p).largest;
    const double three = moments_of(truncated_normal{.stddev = 0.5, .deviations = 3}, p).largest;
    CHECK(two <= 0.04);
    CHECK(two > 0.0399);
    CHECK(three <= 1.5);
    CHECK(three > 1.48);
  }
}

TEST_CASE("truncated_normal: what lies within the bound is the value of normal, the rest is drawn again") {
  const parameter_info p{.role = role::up, .rows = 100, .columns = 100};
  int again = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const double cut = truncated_normal{.stddev = 1}(p, {4, 5}, i), full = normal{.stddev = 1}(p, {4, 5}, i);
    if (std::fabs(full) <= 2)
      CHECK(cut == full);
    else
      ++again;
  }
  CHECK(again > 400);  // 4.55 per cent
  CHECK(again < 510);
}

TEST_CASE("truncated_normal: vectors start where their op says; bad numbers are refused with a sentence") {
  for (const role r : {role::bias, role::norm_gain, role::norm_bias, role::scalar})
    CHECK(truncated_normal{}({.role = r, .start = 0.75}, {}, 5) == 0.75);
  CHECK_NOTHROW(check_initialiser(truncated_normal{}));
  CHECK_THROWS_WITH_AS(truncated_normal{.stddev = 0}.validate(),
                       "truncated_normal: stddev is 0, expected a finite number above 0", error);
  CHECK_THROWS_WITH_AS(truncated_normal{.deviations = 0.25}.validate(),
                       "truncated_normal: deviations is 0.25, expected a finite number of 0.5 or more",
                       error);
}
