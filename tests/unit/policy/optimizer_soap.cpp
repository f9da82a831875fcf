#include <formwork/policy/optimizer/soap.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("soap: 100 updates equal ones with 50 digits") {
  check_run("soap", soap{.weight_decay = 0.5}, 0.02);
  check_run("soap one side", soap{.every = 1, .longest = 2}, 0.02);
}

TEST_CASE("soap: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(soap{}));
  CHECK_NOTHROW(check_optimizer(soap{.every = 1}));
}

TEST_CASE("soap: update 1 moves no matrix; without bases it is Adam from update 2 on") {
  formwork_test::long_run<soap> run(soap{.longest = 0}, 0.05);
  const auto first = run.w;
  run.update(1);
  for (std::size_t i = 0; i < 12; ++i) CHECK(run.w[i] == first[i]);
  CHECK(run.w[13] != first[13]);
  std::array<double, 2> moments{};
  double w = first[0];
  for (step_t t = 2; t <= 9; ++t) {
    run.update(t);
    const adam like{0.95, 0.95, 1e-8, 0, epsilon_place::uncorrected};
    const double lr = 0.05 * std::min(1.0, double(t) / 5);
    const double g = 0.25 * (w + 1.5) + (double((7 * t) % 11) - 5) / 16;
    like.update(w, g, moments, like.prepare({.step = t - 1, .lr = lr, .decays = false}));
    w *= 1 - lr * 0.01;
    CHECK(run.w[0] == doctest::Approx(w).epsilon(1e-12));
  }
}

TEST_CASE("soap: a matrix whose gradient starts late is turned and moved like any other") {
  std::vector<double> w(12), g(12);
  cpu_backend backend(1);
  optimizer_state<double, soap> state(soap{.every = 2},
                                      {{0, {.role = role::up, .rows = 3, .columns = 4}, w.data(), g.data()}});
  for (step_t t = 1; t <= 300; ++t) {
    for (std::size_t i = 0; i < 12; ++i) g[i] = t < 8 ? 0 : w[i] - double(i % 5);
    state.update(backend, t, 0.05);
  }
  for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs(w[i] - double(i % 5)) < 0.3);
}

TEST_CASE("soap: bad numbers are refused with a sentence") {
  check_number(soap{}, &soap::beta1, {0, 0.999}, {-0.1, 1});
  check_number(soap{}, &soap::beta2, {0, 0.999}, {-0.1, 1});
  check_number(soap{}, &soap::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(soap{}, &soap::weight_decay, {0, 10}, {-1});
  check_number(soap{}, &soap::beta, {0, 0.999}, {-0.1, 1});
  check_number(soap{}, &soap::every, {1, 100}, {0, -1});
  check_number(soap{}, &soap::longest, {0, 100}, {-1});
  check_number(soap{}, &soap::rest_rate, {0.01, 10}, {0, -1});
}
