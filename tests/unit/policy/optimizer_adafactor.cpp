#include <formwork/policy/optimizer/adafactor.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("adafactor: 100 updates equal PyTorch's") {
  check_run("torch adafactor", adafactor{.weight_decay = 0.5}, 0.01);
}

TEST_CASE("adafactor: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(adafactor{}));
  CHECK_NOTHROW(check_optimizer(adafactor{.scales_by_weights = false}));
}

TEST_CASE("adafactor: a matrix costs a row and a column, a vector itself") {
  CHECK(adafactor{}.kept(512, 2048) == 2560);
  CHECK(adafactor{}.kept(512, 1) == 512);
  CHECK(adafactor{}.kept(1, 512) == 512);
}

TEST_CASE("adafactor: for squares of rank one the first step is the sign of the gradient") {
  const double row[] = {1, 2, 0.5}, column[] = {-3, 1, 0.25, 8};
  std::vector<double> w(12, 1.0), g;
  for (const double r : row)
    for (const double c : column) g.push_back(r * c);
  const std::vector<double> before = g;
  cpu_backend backend(1);
  optimizer_state<double, adafactor> state(
      adafactor{}, {{0, {.role = role::up, .rows = 3, .columns = 4}, w.data(), g.data()}});
  state.update(backend, 1, 0.25);
  for (std::size_t i = 0; i < 12; ++i) CHECK(w[i] == doctest::Approx(before[i] > 0 ? 0.75 : 1.25));
}

TEST_CASE("adafactor: bad numbers are refused with a sentence") {
  check_number(adafactor{}, &adafactor::decay_rate, {0.1, 1}, {0, -1});
  check_number(adafactor{}, &adafactor::floor, {1e-30, 1}, {0, 1e-31, -1});
  check_number(adafactor{}, &adafactor::smallest, {1e-30, 1}, {0, -1});
  check_number(adafactor{}, &adafactor::threshold, {0.1, 10}, {0, -1});
  check_number(adafactor{}, &adafactor::weight_decay, {0, 10}, {-1});
}
