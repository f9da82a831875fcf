#include <formwork/policy/optimizer/radam.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"

using namespace formwork;
using formwork_test::check_golden;

TEST_CASE("radam: trajectories equal the ones computed with 50 digits") {
  check_golden("radam", radam{}, 0.01);
  check_golden("radam paper", radam{.beta2 = 0.98, .threshold = 4}, 0.01);
  check_golden("radam waits", radam{.weight_decay = 0.5, .before = unrectified_step::none}, 0.01);
}

TEST_CASE("radam: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(radam{}));
  CHECK_NOTHROW(check_optimizer(radam{.beta2 = 0.98, .threshold = 4, .before = unrectified_step::none}));
  CHECK_NOTHROW(check_optimizer(radam{.beta2 = 0.5}));  // never rectified: gradient descent with momentum
}

TEST_CASE(
    "radam: the first five updates are not rectified with the default numbers, four with the paper's "
    "threshold") {
  int before = 0, before_paper = 0;
  for (step_t t = 1; t <= 100; ++t) {
    before += !radam{}.prepare({.step = t, .lr = 1, .decays = false}).rectified;
    before_paper += !radam{.threshold = 4}.prepare({.step = t, .lr = 1, .decays = false}).rectified;
  }
  CHECK(before == 5);
  CHECK(before_paper == 4);
}

TEST_CASE("radam: the rectification grows to 1, then the step is Adam's") {
  double previous = 0;
  for (step_t t = 6; t <= 20'000; t = t * 3 / 2) {
    const update_info info{.step = t, .lr = 1, .decays = false};
    const double r =
        radam{}.prepare(info).adam.rate / adam{.place = epsilon_place::uncorrected}.prepare(info).adam.rate;
    CHECK(r > previous);
    CHECK(r < 1 + 1e-12);
    previous = r;
  }
  CHECK(previous == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("radam: without a step before rectification weights rest and moments do not") {
  double w = 1;
  std::array<double, 2> state{};
  const radam policy{.before = unrectified_step::none};
  policy.update(w, 2.0, state, policy.prepare({.step = 1, .lr = 1, .decays = false}));
  CHECK(w == 1);
  CHECK(state[0] == doctest::Approx(0.2));
  CHECK(state[1] == doctest::Approx(0.004));
}

TEST_CASE("radam: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(radam{.threshold = 3}.validate(),
                       "radam: threshold is 3, expected a finite number, 4 or more", error);
  CHECK_THROWS_AS(radam{.beta1 = 1}.validate(), error);
  CHECK_THROWS_AS(radam{.weight_decay = -1}.validate(), error);
}
