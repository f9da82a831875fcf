#include <formwork/policy/optimizer/sgd.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"

using namespace formwork;
using formwork_test::check_golden;

TEST_CASE("sgd: trajectories equal the ones computed with 50 digits") {
  check_golden("plain_sgd", plain_sgd{}, 0.1);
  check_golden("plain_sgd l2", plain_sgd{.l2 = 0.25}, 0.1);
  check_golden("sgd", sgd{}, 0.1);
  check_golden("sgd momentum", sgd{.momentum = 0.9}, 0.1);
  check_golden("sgd damping", sgd{.momentum = 0.9, .damping = 0.5, .l2 = 0.25}, 0.1);
  check_golden("sgd nesterov", sgd{.momentum = 0.9, .nesterov = true}, 0.1);
}

TEST_CASE("sgd: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(plain_sgd{}));
  CHECK_NOTHROW(check_optimizer(sgd{}));
  CHECK_NOTHROW(check_optimizer(sgd{.momentum = 0.9}));
  CHECK_NOTHROW(check_optimizer(sgd{.momentum = 0.9, .nesterov = true}));
}

TEST_CASE("sgd: without momentum both forms move weights alike") {
  double a = 0.75, b = 0.75;
  std::array<double, 0> none;
  std::array<double, 1> kept{};
  for (step_t t = 1; t <= 5; ++t) {
    const update_info info{.step = t, .lr = 0.125, .decays = false};
    plain_sgd{}.update(a, 0.5 * double(t), none, plain_sgd{}.prepare(info));
    sgd{.damping = 0.5}.update(b, 0.5 * double(t), kept, sgd{.damping = 0.5}.prepare(info));
    CHECK(a == b);
  }
}

TEST_CASE("sgd: the penalty acts only where weight decay applies") {
  for (const bool decays : {false, true}) {
    double a = 2, b = 2;
    std::array<double, 0> none;
    std::array<double, 1> kept{};
    const update_info info{.step = 1, .lr = 0.5, .decays = decays};
    plain_sgd{.l2 = 0.25}.update(a, 0.0, none, plain_sgd{.l2 = 0.25}.prepare(info));
    sgd{.l2 = 0.25}.update(b, 0.0, kept, sgd{.l2 = 0.25}.prepare(info));
    CHECK(a == (decays ? 1.75 : 2));
    CHECK(b == (decays ? 1.75 : 2));
  }
}

TEST_CASE("sgd: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(sgd{.momentum = 1}.validate(), "sgd: momentum is 1, expected a number in [0, 1)",
                       error);
  CHECK_THROWS_AS(sgd{.damping = -1}.validate(), error);
  CHECK_THROWS_WITH_AS(sgd{.nesterov = true}.validate(), "sgd: nesterov needs momentum above 0 and damping 0",
                       error);
  CHECK_THROWS_AS((sgd{.momentum = 0.9, .damping = 0.1, .nesterov = true}.validate()), error);
  CHECK_THROWS_AS(sgd{.l2 = -1}.validate(), error);
  CHECK_THROWS_AS(plain_sgd{.l2 = -1}.validate(), error);
  CHECK_THROWS_AS(check_optimizer(sgd{.momentum = 2}), error);
}
