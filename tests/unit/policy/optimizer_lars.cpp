#include <formwork/policy/optimizer/lars.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("lars: 100 updates equal ones with 50 digits") { check_run("lars", lars{}, 8); }

TEST_CASE("lars: the public check accepts it") { CHECK_NOTHROW(check_optimizer(lars{}, 2)); }

TEST_CASE("lars: the size of the gradient does not count, unless the parameter is 0") {
  const auto rate = [](double squares_of_w, double squares_of_g) {
    lars::prepared p = lars{.weight_decay = 0}.prepare({.step = 1, .lr = 2, .decays = true});
    lars{.weight_decay = 0}.conclude(p, {squares_of_w, squares_of_g}, {});
    return p.rate * std::sqrt(squares_of_g);
  };
  CHECK(rate(9, 1) == doctest::Approx(2 * 0.001 * 3));
  CHECK(rate(9, 100) == doctest::Approx(2 * 0.001 * 3));
  CHECK(rate(0, 100) == 20);
}

TEST_CASE("lars: bad numbers are refused with a sentence") {
  check_number(lars{}, &lars::momentum, {0, 0.999}, {-0.1, 1});
  check_number(lars{}, &lars::weight_decay, {0, 10}, {-1});
  check_number(lars{}, &lars::trust, {1e-6, 1}, {0, -1});
}
