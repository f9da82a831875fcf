#include <formwork/policy/schedule/constant.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

static_assert(constant{0.25}(1) == 0.25 && constant{0.25}(1'000'000'000'000) == 0.25);

TEST_CASE("constant: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(constant{0}.validate(), "constant: lr is 0, expected a finite number above 0", error);
  CHECK_NOTHROW(constant{}.validate());
}
