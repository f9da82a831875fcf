#include <formwork/policy/optimizer/adabelief.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("adabelief: 100 updates equal ones with 50 digits") {
  check_run("adabelief", adabelief{.weight_decay = 0.5}, 0.01);
  check_run("adabelief plain", adabelief{.rectified = false}, 0.01);
}

TEST_CASE("adabelief: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(adabelief{}));
  CHECK_NOTHROW(check_optimizer(adabelief{.epsilon = 1e-8, .rectified = false}));
}

TEST_CASE("adabelief: a steady gradient makes larger steps than one of the same size that turns") {
  double steady = 0, turning = 0;
  std::array<double, 2> of_steady{}, of_turning{};
  const adabelief policy{.beta2 = 0.9, .rectified = false};
  for (step_t t = 1; t <= 100; ++t) {
    const auto p = policy.prepare({.step = t, .lr = 0.01, .decays = false});
    policy.update(steady, 1.0, of_steady, p);
    policy.update(turning, t % 4 == 0 ? -1.0 : 1.0, of_turning, p);
  }
  CHECK(steady < 10 * turning);  // both negative
}

TEST_CASE("adabelief: bad numbers are refused with a sentence") {
  check_number(adabelief{}, &adabelief::beta1, {0, 0.999}, {-0.1, 1});
  check_number(adabelief{}, &adabelief::beta2, {0, 0.999}, {-0.1, 1});
  check_number(adabelief{}, &adabelief::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(adabelief{}, &adabelief::weight_decay, {0, 10}, {-1});
}
