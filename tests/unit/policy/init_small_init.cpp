#include <formwork/policy/init/small_init.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>
#include "../../support/initial_moments.hpp"

using namespace formwork;

TEST_CASE(
    "small_init: attention has variance 2 / (5 D), D the width of the model also where heads are wider") {
  for (const role r :
       {role::query, role::key, role::value, role::cross_query, role::cross_key, role::cross_value})
    check_variance(small_init{}, {.role = r, .rows = 1000, .columns = 128}, 2 / (5 * 128.0));
  for (const role r : {role::output, role::cross_output})
    check_variance(small_init{}, {.role = r, .rows = 128, .columns = 1000}, 2 / (5 * 128.0));
}

TEST_CASE(
    "small_init: a feed-forward block of width 4 D starts with the same variance, others as with Xavier") {
  check_variance(small_init{}, {.role = role::up, .rows = 640, .columns = 160}, 2 / (5 * 160.0));
  check_variance(small_init{}, {.role = role::down, .rows = 160, .columns = 640}, 2 / (5 * 160.0));
  check_variance(small_init{}, {.role = role::up, .rows = 1000, .columns = 160}, 2 / 1160.0);
  for (const role r : {role::embedding, role::position, role::head})
    check_variance(small_init{}, {.role = r, .rows = 1000, .columns = 128}, 1 / 128.0);
}

TEST_CASE("small_init: vectors and numbers start where their op says; the public check accepts it") {
  for (const role r : {role::bias, role::norm_gain, role::norm_bias, role::scalar})
    CHECK(small_init{}({.role = r, .start = 0.75}, {}, 5) == 0.75);
  CHECK_NOTHROW(check_initialiser(small_init{}));
}
