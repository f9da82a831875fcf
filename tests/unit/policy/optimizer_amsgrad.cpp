#include <formwork/policy/optimizer/amsgrad.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("amsgrad: 100 updates equal PyTorch's") {
  check_run("torch amsgrad", amsgrad{.beta2 = 0.9, .l2 = 0.25}, 0.01);
  check_run("torch amsgrad decoupled", amsgrad{.beta2 = 0.9, .weight_decay = 0.5}, 0.01);
}

TEST_CASE("amsgrad: the public check accepts it") { CHECK_NOTHROW(check_optimizer(amsgrad{})); }

TEST_CASE("amsgrad: one large gradient keeps later steps small for good, in Adam it is forgotten") {
  double rested[2] = {0, 0};
  std::array<double, 3> kept{};
  std::array<double, 2> forgotten{};
  const amsgrad policy{.beta2 = 0.5};
  const adam other{.beta2 = 0.5};
  for (step_t t = 1; t <= 60; ++t) {
    const update_info info{.step = t, .lr = 1, .decays = false};
    const double g = t == 1 ? 100 : 0.01;
    if (t == 60) rested[0] = rested[1] = 0;
    policy.update(rested[0], g, kept, policy.prepare(info));
    other.update(rested[1], g, forgotten, other.prepare(info));
  }
  CHECK(rested[0] > -0.01);
  CHECK(rested[1] < -0.5);
}

TEST_CASE("amsgrad: bad numbers are refused with a sentence") {
  check_number(amsgrad{}, &amsgrad::beta1, {0, 0.999}, {-0.1, 1});
  check_number(amsgrad{}, &amsgrad::beta2, {0, 0.999}, {-0.1, 1});
  check_number(amsgrad{}, &amsgrad::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(amsgrad{}, &amsgrad::l2, {0, 10}, {-1});
  check_number(amsgrad{}, &amsgrad::weight_decay, {0, 10}, {-1});
}
