#include <formwork/policy/optimizer/shampoo.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("shampoo: 100 updates equal ones with 50 digits") {
  check_run("shampoo", shampoo{.weight_decay = 0.5}, 0.02);
  check_run("shampoo plain", shampoo{.momentum = 0, .graft = shampoo_graft::none, .every = 1}, 0.1);
  check_run("shampoo means", shampoo{.beta = 0.9, .every = 3, .longest = 2}, 0.02);
}

TEST_CASE("shampoo: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(shampoo{}));
  CHECK_NOTHROW(check_optimizer(shampoo{.beta = 0.95, .graft = shampoo_graft::none}));
}

TEST_CASE("shampoo: the first step of a square matrix is orthogonal, as the moments take away its stretch") {
  const index_t n = 6;
  std::vector<double> w(36), g(36);
  const random_stream random{.seed = 4};
  for (std::size_t i = 0; i < 36; ++i) g[i] = random.normal(i);
  cpu_backend backend(1);
  const shampoo policy{.momentum = 0, .epsilon = 1e-20, .graft = shampoo_graft::none};
  optimizer_state<double, shampoo> state(
      policy, {{0, {.role = role::up, .rows = n, .columns = n}, w.data(), g.data()}});
  state.update(backend, 1, 0.5);
  for (index_t a = 0; a < n; ++a)
    for (index_t b = 0; b < n; ++b) {
      double dot = 0;
      for (index_t c = 0; c < n; ++c) dot += 4 * w[std::size_t(a * n + c)] * w[std::size_t(b * n + c)];
      CHECK(dot == doctest::Approx(a == b).epsilon(1e-6));
    }
}

TEST_CASE("shampoo: bad numbers are refused with a sentence") {
  check_number(shampoo{}, &shampoo::beta, {0.1, 1}, {0, -0.1, 1.5});
  check_number(shampoo{}, &shampoo::momentum, {0, 0.99}, {-0.1, 1});
  check_number(shampoo{}, &shampoo::epsilon, {1e-30, 1}, {0, -1});
  check_number(shampoo{}, &shampoo::weight_decay, {0, 10}, {-1});
  check_number(shampoo{}, &shampoo::beta2, {0, 0.999}, {-0.1, 1});
  check_number(shampoo{}, &shampoo::every, {1, 100}, {0, -1});
  check_number(shampoo{}, &shampoo::longest, {0, 100}, {-1});
  check_number(shampoo{}, &shampoo::rest_rate, {0.01, 10}, {0, -1});
}
