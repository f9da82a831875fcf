#include <formwork/policy/schedule/inverse_sqrt.hpp>
//
#include <doctest/doctest.h>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;
using formwork_test::same_digits;

TEST_CASE("inverse_sqrt: rates equal the ones computed with 50 digits") {
  check_golden_rates("inverse_sqrt", inverse_sqrt{.lr = 0.5, .warmup = 7, .decay_from = 7, .initial = 0.1});
  check_golden_rates("inverse_sqrt", fairseq_inverse_sqrt{.lr = 0.5, .warmup = 7, .initial = 0.1});
  check_golden_rates("fairseq_inverse_sqrt", fairseq_inverse_sqrt{.lr = 0.5, .warmup = 1});
  check_golden_rates("noam", noam{.d_model = 4, .warmup = 9});
  check_golden_rates("tfixup_inverse_sqrt", tfixup_inverse_sqrt{.lr = 0.5, .half = 10});
}

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
  CHECK(same_digits(literal(4000), 1e-3 / std::sqrt(4000.0)));
  CHECK(inverse_sqrt{.lr = 1e-3, .warmup = 1}(4000) == 1e-3);
  CHECK(same_digits(fairseq_inverse_sqrt{.lr = 1e-3, .warmup = 0}(100), 1e-4));
  const fairseq_inverse_sqrt recipe{.lr = 5e-4, .warmup = 4000};
  CHECK(same_digits(recipe(1), 1e-7 + (5e-4 - 1e-7) / 4000));
  CHECK(same_digits(recipe(16'000), 2.5e-4));
}

TEST_CASE("noam: the published formula") {
  const noam lr{.d_model = 512, .warmup = 4000};
  for (const step_t t : {1, 2, 3999, 4000, 4001, 100'000})
    CHECK(same_digits(lr(t),
                      std::pow(512, -0.5) * std::min(std::pow(t, -0.5), double(t) * std::pow(4000, -1.5))));
  CHECK(noam{.d_model = 4, .warmup = 0, .factor = 3}(9) == doctest::Approx(0.5));
}

TEST_CASE("noam: the highest rate, and the factor that gives it") {
  CHECK(same_digits(noam{}.peak(), 6.99e-4, 1e-3));
  CHECK(same_digits(noam{}(4000), noam{}.peak()));
  CHECK(same_digits(noam{.d_model = 4, .warmup = 0, .factor = 3}.peak(), 1.5));
  const noam lr{.d_model = 128, .warmup = 100, .factor = noam::factor_for(2e-3, 128, 100)};
  CHECK(same_digits(lr.peak(), 2e-3));
  CHECK(same_digits(lr(100), 2e-3));
}

TEST_CASE("tfixup_inverse_sqrt: its square falls to the half at update D") {
  const tfixup_inverse_sqrt lr{.lr = 0.5, .half = 4000};
  CHECK(same_digits(lr(4000), 0.5 / std::sqrt(2.0)));
  CHECK(same_digits(lr(12'000), 0.25));
  CHECK(lr(1) < 0.5);
  CHECK(lr(1) > 0.4999);
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
  CHECK_THROWS_AS(tfixup_inverse_sqrt{.lr = 0}.validate(), error);
  CHECK_THROWS_WITH_AS(tfixup_inverse_sqrt{.half = 0}.validate(),
                       "tfixup_inverse_sqrt: half is 0, expected 1 or more", error);
}
