#include <formwork/policy/optimizer/lion.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("lion: 100 updates equal ones with 50 digits") {
  check_run("lion", lion{.weight_decay = 0.5}, 0.01);
}

TEST_CASE("lion: the public check accepts it") { CHECK_NOTHROW(check_optimizer(lion{})); }

TEST_CASE("lion: a step is the learning rate or nothing, whatever the gradient") {
  double w = 1;
  std::array<double, 1> mean{};
  const auto p = lion{}.prepare({.step = 1, .lr = 0.25, .decays = false});
  lion{}.update(w, 1e-20, mean, p);
  CHECK(w == 0.75);
  mean[0] = 0;
  lion{}.update(w, 0.0, mean, p);
  CHECK(w == 0.75);
}

TEST_CASE("lion: bad numbers are refused with a sentence") {
  check_number(lion{}, &lion::beta1, {0, 0.999}, {-0.1, 1});
  check_number(lion{}, &lion::beta2, {0, 0.999}, {-0.1, 1});
  check_number(lion{}, &lion::weight_decay, {0, 10}, {-1});
}
