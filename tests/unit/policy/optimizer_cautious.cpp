#include <formwork/policy/optimizer/cautious.hpp>
//
#include <formwork/policy/optimizer/adan.hpp>
#include <formwork/policy/optimizer/check.hpp>
#include <formwork/policy/optimizer/lion.hpp>
#include <formwork/policy/optimizer/nadam.hpp>
#include <formwork/policy/optimizer/radam.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("cautious: 100 updates equal ones with 50 digits") {
  check_run("cautious adamw", cautious<adamw>{.inner = {.weight_decay = 0.5}}, 0.01);
}

TEST_CASE("cautious: the public check accepts it around every optimizer with a step of its own") {
  CHECK_NOTHROW(check_optimizer(cautious<adamw>{}));
  CHECK_NOTHROW(check_optimizer(cautious<lion>{}));
  CHECK_NOTHROW(check_optimizer(cautious<radam>{}));
  CHECK_NOTHROW(check_optimizer(cautious<nadamw>{}));
  CHECK_NOTHROW(check_optimizer(cautious<adan>{}));
  CHECK(label(cautious<lion>::name) == label("cautious.lion"));
}

TEST_CASE("cautious: weights whose gradient turned rest but for their decay, the others make larger steps") {
  const cautious<lion> policy{.inner = {.weight_decay = 0.5}};
  cautious<lion>::prepared p = policy.prepare({.step = 2, .lr = 0.125, .decays = true}, {});
  policy.conclude(p, {3}, {.parameter = {.rows = 4, .columns = 3}});
  CHECK(p.factor == 4);
  double turned = 1, agreed = 1;
  std::array<double, 1> a{1}, b{1};
  policy.update(turned, -0.1, a, p);
  policy.update(agreed, 0.1, b, p);
  CHECK(turned == 1 - 0.0625);
  CHECK(agreed == 1 - 0.0625 - 4 * 0.125);
  CHECK(a[0] == doctest::Approx(0.99 - 0.001));
}

TEST_CASE("cautious: where no gradient agrees nothing is divided by 0") {
  const cautious<adamw> policy;
  cautious<adamw>::prepared p = policy.prepare({.step = 1, .lr = 1, .decays = false}, {});
  policy.conclude(p, {0}, {.parameter = {.rows = 4, .columns = 3}});
  CHECK(p.factor == 1000);
}

TEST_CASE("cautious: bad numbers are refused with a sentence") {
  check_number(cautious<lion>{}, &cautious<lion>::floor, {1e-6, 1}, {0, -1});
  CHECK_THROWS_AS(cautious<lion>{.inner = {.beta1 = 1}}.validate(), error);
}
