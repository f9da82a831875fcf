#include <formwork/policy/schedule/cosine.hpp>
//
#include <doctest/doctest.h>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("cosine: rates equal the ones computed with 50 digits") {
  formwork_test::check_golden_rates(
      "cosine", cosine{.lr = 0.5, .warmup = 5, .total = 20, .minimum = 0.05, .initial = 0.1});
  formwork_test::check_golden_rates("cosine bare", cosine{.lr = 0.5, .total = 20});
}

TEST_CASE("cosine: full, half and lowest rate") {
  const cosine lr{.lr = 9, .warmup = 10, .total = 110, .minimum = 1};
  CHECK(lr(5) == 4.5);
  CHECK(lr(10) == 9);
  CHECK(lr(10 + 25) == doctest::Approx(1 + 8 * (1 + std::sqrt(0.5)) / 2));
  CHECK(lr(60) == doctest::Approx(5).epsilon(1e-15));
  CHECK(lr(110) == 1);
  CHECK(lr(111) == 1);
}

TEST_CASE("cosine: a total of 1 and a warm-up as long as the total are legal") {
  CHECK(cosine{.lr = 0.5, .total = 1}(1) == 0.5);
  CHECK(cosine{.lr = 0.5, .total = 1}(2) == 0);
  CHECK(cosine{.lr = 0.5, .warmup = 5, .total = 5}(5) == 0.5);
  CHECK(cosine{.lr = 0.5, .warmup = 5, .total = 5, .minimum = 0.1}(6) == 0.1);
}

TEST_CASE("cosine: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS((cosine{.warmup = 2, .total = 1}.validate()), "cosine: warmup 2 is more than total 1",
                       error);
  CHECK_THROWS_AS(cosine{}.validate(), error);
  CHECK_THROWS_AS((cosine{.total = 10, .minimum = -0.5}.validate()), error);
  CHECK_THROWS_AS((cosine{.total = 10, .initial = -0.5}.validate()), error);
}
