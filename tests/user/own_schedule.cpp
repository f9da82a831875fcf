// A schedule in a user's own file: anything that maps the number of an update to a rate, so a lambda is one.
#include <doctest/doctest.h>

#include <formwork/policy/schedule/check.hpp>
#include <formwork/policy/schedule/compose.hpp>

namespace mine {

constexpr auto two_rates = [](formwork::step_t t) { return t < 100 ? 1e-3 : 1e-4; };
static_assert(formwork::explain_schedule<decltype(two_rates)>());

}  // namespace mine

TEST_CASE("own schedule: a lambda passes the public check and composes with warm-up") {
  CHECK_NOTHROW(formwork::check_schedule(mine::two_rates));
  const formwork::warmup lr{10, mine::two_rates};
  CHECK_NOTHROW(formwork::check_schedule(lr));
  CHECK(lr(1) == doctest::Approx(1e-4));
  CHECK(lr(99) == 1e-3);
  CHECK(lr(100) == 1e-4);
}
