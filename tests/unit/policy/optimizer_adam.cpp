#include <formwork/policy/optimizer/adam.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"

using namespace formwork;
using formwork_test::check_golden;

namespace {

template <class Optimizer>
double first_step(const Optimizer& policy, double g, double lr) {
  double w = 0;
  std::array<double, 2> state{};
  policy.update(w, g, state, policy.prepare({.step = 1, .lr = lr, .decays = false}));
  return w;
}

}  // namespace

TEST_CASE("adam: trajectories equal the ones computed with 50 digits") {
  check_golden("adam", adam{}, 0.01);
  check_golden("adam 2017", adam{.beta2 = 0.98, .epsilon = 1e-9}, 0.01);
  check_golden("adam l2", adam{.l2 = 0.25}, 0.01);
  check_golden("adam large epsilon", adam{.epsilon = 0.5}, 0.01);
  check_golden("adam large epsilon inside", adam{.epsilon = 0.5, .place = epsilon_place::uncorrected}, 0.01);
  check_golden("adam uncorrected", adam{.bias_correction = false}, 0.01);
  check_golden("adamw", adamw{.weight_decay = 0.5}, 0.01);
}

TEST_CASE("adam: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(adam{}));
  CHECK_NOTHROW(check_optimizer(adam{.beta2 = 0.98, .epsilon = 1e-9, .place = epsilon_place::uncorrected}));
  CHECK_NOTHROW(check_optimizer(adam{.bias_correction = false}));
  CHECK_NOTHROW(check_optimizer(adamw{}));
}

TEST_CASE("adam: the first step is the rate, without bias correction lr (1 - beta1) / sqrt(1 - beta2)") {
  for (const double g : {3.0, -0.01}) {
    const double sign = g > 0 ? 1 : -1;
    CHECK(first_step(adam{}, g, 0.01) == doctest::Approx(-0.01 * sign).epsilon(1e-5));
    CHECK(first_step(adamw{}, g, 0.01) == doctest::Approx(-0.01 * sign).epsilon(1e-5));
    CHECK(first_step(adam{.bias_correction = false}, g, 0.01) ==
          doctest::Approx(-0.01 * sign * 0.1 / std::sqrt(0.001)).epsilon(1e-4));
  }
}

TEST_CASE("adam: gradients far below epsilon show where epsilon is added") {
  const double g = 1e-10,
               lr = 1;  // |g| / (|g| + eps) against sqrt(1 - beta2) |g| / (sqrt(1 - beta2) |g| + eps)
  CHECK(first_step(adam{}, g, lr) == doctest::Approx(-1e-10 / (1e-10 + 1e-8)));
  const double root = std::sqrt(0.001);
  CHECK(first_step(adam{.place = epsilon_place::uncorrected}, g, lr) ==
        doctest::Approx(-root * 1e-10 / (root * 1e-10 + 1e-8)));
}

TEST_CASE("adam: decay acts only where it applies, decoupled from the gradient in adamw") {
  for (const bool decays : {false, true}) {
    const update_info info{.step = 1, .lr = 0.5, .decays = decays};
    double w = 2;
    std::array<double, 2> state{};
    adamw{.weight_decay = 0.25}.update(w, 0.0, state, adamw{.weight_decay = 0.25}.prepare(info));
    CHECK(w == (decays ? 1.75 : 2));
    w = 2;
    adam{.l2 = 0.25}.update(w, 0.0, state, adam{.l2 = 0.25}.prepare(info));
    CHECK(w ==
          doctest::Approx(decays ? 1.5 : 2).epsilon(1e-6));  // Adam makes a full step of any small penalty
  }
}

TEST_CASE("adam: late updates stay finite") {
  float w = 1;
  std::array<float, 2> state{0.5f, 0.25f};
  adamw{}.update(w, 0.5f, state, adamw{}.prepare({.step = 10'000'000'000, .lr = 0.25, .decays = false}));
  CHECK(w == doctest::Approx(0.75).epsilon(1e-6));
}

TEST_CASE("adam: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(adam{.beta1 = 1}.validate(), "adam: beta1 is 1, expected a number in [0, 1)", error);
  CHECK_THROWS_WITH_AS(adamw{.beta2 = -0.5}.validate(), "adamw: beta2 is -0.5, expected a number in [0, 1)",
                       error);
  CHECK_THROWS_AS(adam{.epsilon = 0}.validate(), error);
  CHECK_THROWS_AS(adam{.l2 = -1}.validate(), error);
  CHECK_THROWS_AS(adamw{.weight_decay = -1}.validate(), error);
}
