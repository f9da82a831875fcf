#include <formwork/policy/optimizer/lamb.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("lamb: 100 updates equal ones with 50 digits") {
  check_run("lamb", lamb{}, 0.01);
  check_run("lamb limits", lamb{.longest = 2, .largest_ratio = 0.5}, 0.05);
}

TEST_CASE("lamb: the public check accepts it") { CHECK_NOTHROW(check_optimizer(lamb{})); }

TEST_CASE("lamb: a parameter moves by the rate's share of its length") {
  formwork_test::long_run<lamb> run(lamb{}, 0.05);
  const auto before = run.w;
  run.update(1);  // at a fifth of the rate
  for (const auto& [begin, end] : {std::pair{0, 6}, {6, 12}, {12, 16}, {16, 18}}) {
    double length = 0, way = 0;
    for (int i = begin; i < end; ++i) {
      length += before[std::size_t(i)] * before[std::size_t(i)];
      way += std::pow(run.w[std::size_t(i)] - before[std::size_t(i)], 2);
    }
    CHECK(std::sqrt(way / length) == doctest::Approx(0.01).epsilon(1e-10));
  }
}

TEST_CASE("lamb: a parameter that is 0 makes Adam's step") {
  lamb::prepared p = lamb{}.prepare({.step = 1, .lr = 0.25, .decays = true});
  lamb{}.conclude(p, {0, 5}, {});
  CHECK(p.rate == 0.25);
  lamb{}.conclude(p, {5, 0}, {});
  CHECK(p.rate == 0.25);
}

TEST_CASE("lamb: bad numbers are refused with a sentence") {
  check_number(lamb{}, &lamb::beta1, {0, 0.999}, {-0.1, 1});
  check_number(lamb{}, &lamb::beta2, {0, 0.999}, {-0.1, 1});
  check_number(lamb{}, &lamb::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(lamb{}, &lamb::weight_decay, {0, 10}, {-1});
  check_number(lamb{}, &lamb::longest, {0, 10}, {-1});
  check_number(lamb{}, &lamb::largest_ratio, {0, 10}, {-1});
}
