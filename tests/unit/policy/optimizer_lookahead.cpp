#include <formwork/policy/optimizer/lookahead.hpp>
//
#include <formwork/policy/optimizer/check.hpp>
#include <formwork/policy/optimizer/nadam.hpp>
#include <formwork/policy/optimizer/radam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("lookahead: 100 updates equal ones with 50 digits, and so do the weights to evaluate") {
  check_run("lookahead sgd", lookahead<sgd>{.inner = {.momentum = 0.9}}, 0.05);
}

TEST_CASE(
    "lookahead: the public check accepts it around optimizers with moments and with numbers of the run") {
  CHECK_NOTHROW(check_optimizer(lookahead<sgd>{}));
  CHECK_NOTHROW(check_optimizer(lookahead<radam>{}));
  CHECK_NOTHROW(check_optimizer(lookahead<nadam>{}));
  CHECK(label(lookahead<radam>::name) == label("lookahead.radam"));
  CHECK(lookahead<radam>::moments == 3);
}

TEST_CASE("lookahead: with share 1 it is the inner optimizer") {
  formwork_test::long_run<lookahead<sgd>> run({.inner = {.momentum = 0.9}, .every = 3, .share = 1}, 0.05);
  formwork_test::long_run<sgd> plain(sgd{.momentum = 0.9}, 0.05);
  for (step_t t = 1; t <= 20; ++t) run.update(t), plain.update(t);
  for (std::size_t i = 0; i < 18; ++i) CHECK(run.w[i] == doctest::Approx(plain.w[i]).epsilon(1e-12));
}

TEST_CASE("lookahead: bad numbers are refused with a sentence") {
  check_number(lookahead<sgd>{}, &lookahead<sgd>::every, {1, 100}, {0, -1});
  check_number(lookahead<sgd>{}, &lookahead<sgd>::share, {0.1, 1}, {0, -0.5, 1.5});
  CHECK_THROWS_AS(lookahead<sgd>{.inner = {.momentum = 1}}.validate(), error);
}
