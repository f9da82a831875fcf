#include <formwork/policy/init/he.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>
#include "../../support/initial_moments.hpp"

using namespace formwork;

namespace {

constexpr role matrices[] = {role::query,       role::key,         role::value,       role::output,
                             role::cross_query, role::cross_key,   role::cross_value, role::up,
                             role::down,        role::cross_output};

template <class Init>
void check_every_role() {
  for (const role r : matrices) {
    CAPTURE(int(r));
    check_variance(Init{}, {.role = r, .rows = 500, .columns = 240}, 2.0 / 240);
    check_variance(Init{.gain = 0.5}, {.role = r, .rows = 500, .columns = 240}, 0.25 * 2 / 240);
  }
  for (const role r : {role::embedding, role::position, role::head})
    check_variance(Init{.gain = 3}, {.role = r, .rows = 500, .columns = 240}, 1.0 / 240);
}

}  // namespace

TEST_CASE("he_uniform: the variance is 2 / fan in, whatever fan out") { check_every_role<he_uniform>(); }
TEST_CASE("he_normal: the variance is 2 / fan in, whatever fan out") { check_every_role<he_normal>(); }

TEST_CASE("he_uniform: matrices fill the interval up to sqrt(6 / columns), he_normal goes beyond") {
  const parameter_info p{.role = role::up, .rows = 96, .columns = 40};
  const double bound = std::sqrt(6.0 / 40);
  const double largest = moments_of(he_uniform{}, p).largest;
  CHECK(largest <= bound);
  CHECK(largest > 0.995 * bound);
  CHECK(moments_of(he_normal{}, p).largest > 1.2 * bound);
}

TEST_CASE("he: vectors and numbers start where their op says") {
  for (const role r : {role::bias, role::norm_gain, role::norm_bias, role::scalar}) {
    CHECK(he_uniform{.gain = 2}({.role = r, .start = 0.75}, {}, 5) == 0.75);
    CHECK(he_normal{.gain = 2}({.role = r, .start = 0.75}, {}, 5) == 0.75);
  }
}

TEST_CASE("he: the public check accepts it, bad numbers are refused with a sentence") {
  CHECK_NOTHROW(check_initialiser(he_uniform{}));
  CHECK_NOTHROW(check_initialiser(he_normal{}));
  CHECK_THROWS_WITH_AS(he_uniform{.gain = 0}.validate(),
                       "he_uniform: gain is 0, expected a finite number above 0", error);
  CHECK_THROWS_WITH_AS(he_normal{.gain = -1}.validate(),
                       "he_normal: gain is -1, expected a finite number above 0", error);
}
