#include <formwork/policy/schedule/inverse_sqrt.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("inverse_sqrt: the decay begins at an update of its own, whatever the warm-up") {
  for (const step_t w : {0, 1, 50, 400}) {
    const inverse_sqrt lr{.lr = 0.5, .warmup = w, .decay_from = 400};
    CHECK(lr(400) == 0.5);
    CHECK(lr(1600) == 0.25);
    CHECK(lr(40'000) == doctest::Approx(0.05));
  }
  CHECK(inverse_sqrt{.lr = 0.5, .warmup = 0, .decay_from = 400}(1) == 0.5);
  CHECK(inverse_sqrt{.lr = 0.5, .warmup = 50, .decay_from = 400}(25) == 0.25);
  CHECK(inverse_sqrt{.lr = 0.5, .warmup = 4, .decay_from = 4, .initial = 0.1}(2) == doctest::Approx(0.3));
}

TEST_CASE("inverse_sqrt: where the decay begins before the end of warm-up both factors apply") {
  const inverse_sqrt lr{.lr = 1, .warmup = 16, .decay_from = 1};
  CHECK(lr(4) == doctest::Approx(4.0 / 16 / 2));
  CHECK(lr(16) == doctest::Approx(0.25));
}

TEST_CASE("fairseq_inverse_sqrt: short warm-up means small rates, the reason for decay_from") {
  const fairseq_inverse_sqrt literal{.lr = 1e-3, .warmup = 1};
  CHECK(literal(1) == 1e-3);
  CHECK(literal(4000) == doctest::Approx(1e-3 / std::sqrt(4000.0)));
  CHECK(inverse_sqrt{.lr = 1e-3, .warmup = 1}(4000) == 1e-3);
  CHECK(fairseq_inverse_sqrt{.lr = 1e-3, .warmup = 0}(100) == doctest::Approx(1e-4));
  const fairseq_inverse_sqrt recipe{.lr = 5e-4, .warmup = 4000};
  CHECK(recipe(1) == doctest::Approx(1e-7 + (5e-4 - 1e-7) / 4000));
  CHECK(recipe(16'000) == doctest::Approx(2.5e-4));
}

TEST_CASE("noam: the published formula") {
  const noam lr{.d_model = 512, .warmup = 4000};
  for (const step_t t : {1, 2, 3999, 4000, 4001, 100'000})
    CHECK(lr(t) ==
          doctest::Approx(std::pow(512, -0.5) * std::min(std::pow(t, -0.5), double(t) * std::pow(4000, -1.5)))
              .epsilon(1e-13));
  CHECK(noam{.d_model = 4, .warmup = 0, .factor = 3}(9) == doctest::Approx(0.5));
}

TEST_CASE("inverse_sqrt: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(inverse_sqrt{.decay_from = 0}.validate(),
                       "inverse_sqrt: decay_from is 0, expected 1 or more", error);
  CHECK_THROWS_AS(inverse_sqrt{.lr = 0}.validate(), error);
  CHECK_THROWS_AS(inverse_sqrt{.warmup = -1}.validate(), error);
  CHECK_THROWS_AS(inverse_sqrt{.initial = -1}.validate(), error);
  CHECK_THROWS_AS(fairseq_inverse_sqrt{.warmup = -1}.validate(), error);
  CHECK_THROWS_AS(noam{.d_model = 0}.validate(), error);
  CHECK_THROWS_AS(noam{.warmup = -1}.validate(), error);
  CHECK_THROWS_AS(noam{.factor = 0}.validate(), error);
}
