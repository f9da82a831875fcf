#include <formwork/policy/optimizer/schedule_free.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("schedule_free: 100 updates equal ones with 50 digits, and so do the weights to evaluate") {
  check_run("schedule_free_sgd", schedule_free_sgd{.weight_decay = 0.25}, 0.1);
  check_run("schedule_free_adamw", schedule_free_adamw{.weight_decay = 0.25, .power = 2}, 0.02);
}

TEST_CASE("schedule_free: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(schedule_free_sgd{}, 0.1));
  CHECK_NOTHROW(check_optimizer(schedule_free_adamw{}));
}

TEST_CASE("schedule_free: at a constant rate the weights to evaluate are the mean of the steps z") {
  const schedule_free_sgd policy;
  schedule_free_sgd::run_state run;
  double y = 1, z = 1, sum = 0;
  std::array<double, 1> state{};
  for (step_t t = 1; t <= 20; ++t) {
    const update_info info{.step = t, .lr = 0.125, .decays = false};
    const double g = double((7 * t) % 11) - 4;
    policy.advance(run, info);
    policy.update(y, g, state, policy.prepare(info, run));
    z -= 0.125 * g;
    sum += z;
    CHECK(state[0] == doctest::Approx(z));
    CHECK(policy.evaluated(y, state) == doctest::Approx(sum / double(t)));
  }
}

TEST_CASE("schedule_free: updates at rate 0 move nothing and weigh nothing") {
  const schedule_free_adamw policy;
  schedule_free_adamw::run_state run;
  double y = 0.75;
  std::array<double, 2> state{};
  for (step_t t = 1; t <= 3; ++t) {
    const update_info info{.step = t, .lr = 0, .decays = true};
    policy.advance(run, info);
    policy.update(y, 1.0, state, policy.prepare(info, run));
    CHECK(y == 0.75);
  }
  const update_info info{.step = 4, .lr = 0.5, .decays = false};
  policy.advance(run, info);
  CHECK(run.share == 1);
}

TEST_CASE("schedule_free: bad numbers are refused with a sentence") {
  check_number(schedule_free_sgd{}, &schedule_free_sgd::beta1, {0.1, 0.999}, {0, -0.1, 1});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::beta1, {0.1, 0.999}, {-0.1, 1});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::beta2, {0, 0.999}, {-0.1, 1});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::weight_decay, {0, 10}, {-1});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::power, {0, 10}, {-1});
  check_number(schedule_free_sgd{}, &schedule_free_sgd::weight_decay, {0, 10}, {-1});
  check_number(schedule_free_sgd{}, &schedule_free_sgd::power, {0, 10}, {-1});
  CHECK_THROWS_AS(schedule_free_adamw{.beta1 = 0}.validate(), error);
}
