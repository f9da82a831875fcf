#include <formwork/policy/optimizer/sophia.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("sophia_g: 100 updates equal ones with 50 digits") { check_run("sophia_g", sophia_g{}, 0.01); }

TEST_CASE("sophia_g: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(sophia_g{}));
  CHECK_NOTHROW(check_optimizer(sophia_g{.every = 1}));
}

TEST_CASE("sophia_g: the curvature is looked at before update 1 and then after every so many") {
  std::vector<step_t> looked;
  for (step_t t = 1; t <= 12; ++t)
    if (sophia_g{.every = 5}.samples_labels(t)) looked.push_back(t);
  CHECK(looked == std::vector<step_t>{1, 6, 11});
}

TEST_CASE("sophia_g: without curvature a step is the rate, with much of it a fraction of the mean gradient") {
  const sophia_g policy{.beta1 = 0, .beta2 = 0};
  const auto p = policy.prepare({.step = 1, .lr = 0.25, .decays = false});
  double flat = 1, steep = 1;
  std::array<double, 2> none{}, much{};
  policy.observe(100.0, much, p);
  policy.update(flat, 0.5, none, p);
  policy.update(steep, 0.5, much, p);
  CHECK(flat == 0.75);
  CHECK(steep == doctest::Approx(1 - 0.25 * 0.5 / (0.04 * 10000)));
}

TEST_CASE("sophia_g: bad numbers are refused with a sentence") {
  check_number(sophia_g{}, &sophia_g::beta1, {0, 0.999}, {-0.1, 1});
  check_number(sophia_g{}, &sophia_g::beta2, {0, 0.999}, {-0.1, 1});
  check_number(sophia_g{}, &sophia_g::weight_decay, {0, 10}, {-1});
  check_number(sophia_g{}, &sophia_g::rho, {1e-3, 10}, {0, -1});
  check_number(sophia_g{}, &sophia_g::every, {1, 100}, {0, -1});
}
