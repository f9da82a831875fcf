#include <formwork/policy/optimizer/adopt.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("adopt: 100 updates equal ones with 50 digits") {
  check_run("adopt", adopt{.weight_decay = 0.5}, 0.01);
  check_run("adopt unclipped", adopt{.clips = false}, 0.01);
}

TEST_CASE("adopt: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(adopt{}));
  CHECK_NOTHROW(check_optimizer(adopt{.clips = false}));
}

TEST_CASE("adopt: the first update moves nothing, not even by decay, and remembers the square") {
  double w = 2;
  std::array<double, 2> state{};
  const adopt policy{.weight_decay = 0.5};
  policy.update(w, 3.0, state, policy.prepare({.step = 1, .lr = 1, .decays = true}));
  CHECK(w == 2);
  CHECK(state == std::array<double, 2>{0, 9});
}

TEST_CASE("adopt: a gradient that is huge beside those before it is clipped") {
  double w = 0;
  std::array<double, 2> state{0, 1e-12};
  adopt{.beta1 = 0}.update(w, 1e6, state, adopt{.beta1 = 0}.prepare({.step = 17, .lr = 1, .decays = false}));
  CHECK(w == -2);  // 16^(1/4)
}

TEST_CASE("adopt: bad numbers are refused with a sentence") {
  check_number(adopt{}, &adopt::beta1, {0, 0.999}, {-0.1, 1});
  check_number(adopt{}, &adopt::beta2, {0, 0.999}, {-0.1, 1});
  check_number(adopt{}, &adopt::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(adopt{}, &adopt::weight_decay, {0, 10}, {-1});
}
