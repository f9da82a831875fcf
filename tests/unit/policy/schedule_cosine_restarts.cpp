#include <formwork/policy/schedule/cosine_restarts.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/cosine.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;

TEST_CASE("cosine_restarts: rates equal the ones computed with 50 digits") {
  check_golden_rates("restarts",
                     cosine_restarts{.lr = 0.5, .first_cycle = 4, .lr_factor = 0.8, .minimum = 0.05});
  check_golden_rates(
      "restarts longer",
      cosine_restarts{.lr = 0.5, .first_cycle = 2, .length_factor = 2, .lr_factor = 0.5, .warmup = 3});
  check_golden_rates("restarts by halves",
                     cosine_restarts{.lr = 0.5, .first_cycle = 4, .length_factor = 1.5, .minimum = 0.05});
  check_golden_rates(
      "restarts k",
      cosine_restarts{
          .lr = 0.5, .first_cycle = 10, .length_factor = 2, .lr_factor = 0.9, .minimum = 0.05, .k = 1.5});
  check_golden_rates("restarts below the minimum",
                     cosine_restarts{.lr = 0.5, .first_cycle = 5, .lr_factor = 0.7, .minimum = 0.3});
}

TEST_CASE("cosine_restarts: the first cycle is a cosine") {
  const cosine_restarts lr{.lr = 0.5, .first_cycle = 40, .minimum = 0.1, .warmup = 10, .initial = 0.2};
  const cosine once{.lr = 0.5, .warmup = 10, .total = 50, .minimum = 0.1, .initial = 0.2};
  for (step_t t = 1; t < 50; ++t) CHECK(formwork_test::same_digits(lr(t), once(t), 1e-14));
  CHECK(lr(50) == 0.5);
}

TEST_CASE("cosine_restarts: cycles start where the closed form of their sum says") {
  const cosine_restarts lr{.lr = 1, .first_cycle = 3, .length_factor = 2, .lr_factor = 0.5};
  step_t start = 1, length = 3;
  double peak = 1;
  for (int cycle = 0; cycle < 40; ++cycle) {
    CHECK(lr(start) == peak);
    CHECK(lr(start + length - 1) < 0.76 * peak);
    start += length, length *= 2, peak /= 2;
  }
}

TEST_CASE("cosine_restarts: bad numbers are refused with a sentence") {
  CHECK_NOTHROW((cosine_restarts{.first_cycle = 1}.validate()));
  CHECK_THROWS_WITH_AS(cosine_restarts{}.validate(),
                       "cosine_restarts: first_cycle is 0, expected the updates of a cycle, 1 or more",
                       error);
  CHECK_THROWS_WITH_AS((cosine_restarts{.first_cycle = 1, .length_factor = 0.5}.validate()),
                       "cosine_restarts: length_factor is 0.5, expected a finite number, 1 or more", error);
  CHECK_THROWS_AS((cosine_restarts{.first_cycle = 1, .lr_factor = 0}.validate()), error);
  CHECK_THROWS_AS((cosine_restarts{.first_cycle = 1, .lr_factor = 1.5}.validate()), error);
  CHECK_THROWS_AS((cosine_restarts{.first_cycle = 1, .minimum = -1}.validate()), error);
  CHECK_THROWS_AS((cosine_restarts{.first_cycle = 1, .k = 0}.validate()), error);
  CHECK_THROWS_AS((cosine_restarts{.first_cycle = 1, .warmup = -1}.validate()), error);
  CHECK_THROWS_AS((cosine_restarts{.lr = 0, .first_cycle = 1}.validate()), error);
}
