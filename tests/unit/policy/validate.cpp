#include <formwork/policy/validate.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/sgd.hpp>

using namespace formwork;

TEST_CASE("validate: calls the policy's own check where there is one") {
  CHECK_THROWS_AS(validate(sgd{.momentum = 2}), error);
  CHECK_NOTHROW(validate(sgd{}));
  CHECK_NOTHROW(validate([](step_t) { return 1.0; }));
}
