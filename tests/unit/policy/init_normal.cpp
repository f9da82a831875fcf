#include <formwork/policy/init/normal.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>

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
