#include <formwork/policy/optimizer/nadam.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("nadam: 100 updates equal PyTorch's, those of nadamw ones with 50 digits") {
  check_run("torch nadam", nadam{.l2 = 0.25}, 0.01);
  check_run("torch nadam decoupled", nadam{.weight_decay = 0.5, .psi = 0.01}, 0.01);
  check_run("nadamw", nadamw{.weight_decay = 0.5}, 0.01);
}

TEST_CASE("nadam: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(nadam{}));
  CHECK_NOTHROW(check_optimizer(nadamw{}));
}

TEST_CASE("nadam: the momentum grows from half of beta1 to beta1") {
  CHECK(nadam{}.momentum(0) == doctest::Approx(0.45));
  CHECK(nadam{}.momentum(10'000'000) == doctest::Approx(0.9));
  for (step_t t = 1; t < 1000; ++t) REQUIRE(nadam{}.momentum(t) > nadam{}.momentum(t - 1));
}

TEST_CASE("nadam: a run that starts again at update 1 forgets the product of momenta") {
  nadam::run_state run;
  for (step_t t = 1; t <= 5; ++t) nadam{}.advance(run, {.step = t});
  nadam{}.advance(run, {.step = 1});
  CHECK(run.kept == nadam{}.momentum(1));
}

TEST_CASE("nadamw: under one steady gradient it is adamw, after a turn it is ahead of it") {
  double a = 0, b = 0;
  std::array<double, 2> state_a{}, state_b{};
  for (step_t t = 1; t <= 10; ++t) {
    const update_info info{.step = t, .lr = 0.01, .decays = false};
    const double g = t == 10 ? -1 : 1;
    const double before_a = a, before_b = b;
    nadamw{}.update(a, g, state_a, nadamw{}.prepare(info));
    adamw{}.update(b, g, state_b, adamw{}.prepare(info));
    if (t == 1) CHECK(a < b);  // (beta1 m + (1 - beta1) g) / (1 - beta1) = 1.9 g
    if (t == 10) CHECK(a - before_a > b - before_b);
  }
}

TEST_CASE("nadam: bad numbers are refused with a sentence") {
  check_number(nadam{}, &nadam::beta1, {0, 0.999}, {-0.1, 1});
  check_number(nadam{}, &nadam::beta2, {0, 0.999}, {-0.1, 1});
  check_number(nadam{}, &nadam::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(nadam{}, &nadam::l2, {0, 10}, {-1});
  check_number(nadam{}, &nadam::weight_decay, {0, 10}, {-1});
  check_number(nadam{}, &nadam::psi, {0, 10}, {-1});
  check_number(nadamw{}, &nadamw::beta1, {0, 0.999}, {-0.1, 1});
  check_number(nadamw{}, &nadamw::beta2, {0, 0.999}, {-0.1, 1});
  check_number(nadamw{}, &nadamw::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(nadamw{}, &nadamw::weight_decay, {0, 10}, {-1});
}
