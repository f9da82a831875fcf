#include <formwork/core/finite.hpp>
//
#include <doctest/doctest.h>

#include <limits>

using formwork::is_finite;

namespace {

using limits = std::numeric_limits<double>;

static_assert(is_finite(0) && is_finite(-1.5) && is_finite(limits::denorm_min()));
static_assert(is_finite(limits::max()) && is_finite(limits::lowest()));
static_assert(!is_finite(limits::infinity()) && !is_finite(-limits::infinity()));
static_assert(!is_finite(limits::quiet_NaN()));

}  // namespace

TEST_CASE("is_finite: the same at run time") {
  volatile double zero = 0;  // hidden from the compiler
  CHECK(is_finite(zero));
  CHECK(!is_finite(1 / zero));
  CHECK(!is_finite(-1 / zero));
  CHECK(!is_finite(zero / zero));
  CHECK(!is_finite(limits::quiet_NaN()));
}
