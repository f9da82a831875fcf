#include <formwork/policy/optimizer/adan.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("adan: 100 updates equal ones with 50 digits") {
  check_run("adan", adan{.weight_decay = 0.5}, 0.01);
}

TEST_CASE("adan: the public check accepts it") { CHECK_NOTHROW(check_optimizer(adan{})); }

TEST_CASE("adan: the first difference of gradients is 0, so the first step is the rate") {
  double w = 0;
  std::array<double, 4> state{};
  adan{}.update(w, 3.0, state, adan{}.prepare({.step = 1, .lr = 0.25, .decays = false}));
  CHECK(w == doctest::Approx(-0.25));
  CHECK(state[1] == 0);
  CHECK(state[3] == 3);
}

TEST_CASE("adan: bad numbers are refused with a sentence") {
  check_number(adan{}, &adan::beta1, {0, 0.999}, {-0.1, 1});
  check_number(adan{}, &adan::beta2, {0, 0.999}, {-0.1, 1});
  check_number(adan{}, &adan::beta3, {0, 0.999}, {-0.1, 1});
  check_number(adan{}, &adan::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(adan{}, &adan::weight_decay, {0, 10}, {-1});
}
