#include <formwork/policy/validate.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/radam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

#include <support/wrong_numbers.hpp>

using namespace formwork;
using formwork_test::check_number;

static_assert(checked(sgd{.momentum = 0.5}).momentum == 0.5);  // tests/fail/schedule.cpp has what it refuses

TEST_CASE("validate: calls the policy's own check where there is one") {
  CHECK_THROWS_AS(validate(sgd{.momentum = 2}), error);
  CHECK_NOTHROW(validate(sgd{}));
  CHECK_NOTHROW(validate([](step_t) { return 1.0; }));
}

TEST_CASE("validate: no number of an optimizer may be infinite, no number, or out of its range") {
  check_number(adam{}, &adam::beta1, {0, 0.999}, {-0.1, 1});
  check_number(adam{}, &adam::beta2, {0, 0.999}, {-0.1, 1});
  check_number(adam{}, &adam::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(adam{}, &adam::l2, {0, 10}, {-1});
  check_number(adamw{}, &adamw::beta1, {0, 0.999}, {-0.1, 1});
  check_number(adamw{}, &adamw::beta2, {0, 0.999}, {-0.1, 1});
  check_number(adamw{}, &adamw::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(adamw{}, &adamw::weight_decay, {0, 10}, {-1});
  check_number(radam{}, &radam::beta1, {0, 0.999}, {-0.1, 1});
  check_number(radam{}, &radam::beta2, {0, 0.999}, {-0.1, 1});
  check_number(radam{}, &radam::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(radam{}, &radam::weight_decay, {0, 10}, {-1});
  check_number(radam{}, &radam::threshold, {4, 100}, {3.9, 0, -4});
  check_number(sgd{}, &sgd::momentum, {0, 0.99}, {-0.1, 1});
  check_number(sgd{}, &sgd::damping, {0, 0.99}, {-0.1, 1});
  check_number(sgd{}, &sgd::l2, {0, 10}, {-1});
  check_number(plain_sgd{}, &plain_sgd::l2, {0, 10}, {-1});
}

TEST_CASE("validate: no number of an initialiser may be infinite, no number, 0 or negative") {
  check_number(normal{}, &normal::stddev, {1e-9, 10}, {0, -0.02});
  check_number(xavier_uniform{}, &xavier_uniform::gain, {1e-9, 10}, {0, -1});
  check_number(xavier_normal{}, &xavier_normal::gain, {1e-9, 10}, {0, -1});
}
