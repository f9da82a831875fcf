#include <formwork/policy/optimizer/prodigy.hpp>
//
#include <formwork/policy/optimizer/check.hpp>
#include <formwork/policy/optimizer/groups.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

TEST_CASE("prodigy: 100 updates equal ones with 50 digits") {
  check_run("prodigy", prodigy{.weight_decay = 0.01}, 1);
  check_run("prodigy settings",
            prodigy{.first_distance = 0.001, .coefficient = 0.5, .growth = 1.25, .bias_correction = true}, 1);
}

TEST_CASE("prodigy: the public check accepts it") { CHECK_NOTHROW(check_optimizer(prodigy{}, 1)); }

TEST_CASE("prodigy: the distance grows from its first value to that of the solution and never falls") {
  formwork_test::long_run<prodigy> run(prodigy{}, 1);
  double before = 0;
  for (step_t t = 1; t <= 100; ++t) {
    run.update(t);
    double d = 0;
    run.state.each_number([&](const std::string& name, double& number) {
      if (name == "optimizer.0.0") d = number;
    });
    REQUIRE(d >= before);
    before = d;
  }
  CHECK(before > 0.01);
  CHECK(before < 10);  // |w_0 - solution| is 5.4
}

TEST_CASE("prodigy: bad numbers are refused with a sentence") {
  check_number(prodigy{}, &prodigy::beta1, {0, 0.999}, {-0.1, 1});
  check_number(prodigy{}, &prodigy::beta2, {0, 0.999}, {-0.1, 1});
  check_number(prodigy{}, &prodigy::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  check_number(prodigy{}, &prodigy::weight_decay, {0, 10}, {-1});
  check_number(prodigy{}, &prodigy::first_distance, {1e-12, 1}, {0, -1});
  check_number(prodigy{}, &prodigy::coefficient, {0.1, 10}, {0, -1});
  check_number(prodigy{}, &prodigy::growth, {0, 1.02}, {1, 0.5, -1});
}

TEST_CASE("prodigy: a rule that halves all rates is a schedule of half the rate") {
  const auto half = [](update_info& u) { u.lr *= 0.5; };
  formwork_test::long_run ruled(with_rule{prodigy{}, half}, 1);
  formwork_test::long_run usual(prodigy{}, 0.5);
  for (step_t t = 1; t <= 20; ++t) ruled.update(t), usual.update(t);
  CHECK(ruled.w == usual.w);
}
