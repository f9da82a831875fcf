#include <formwork/graph/extent.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace formwork;

namespace {

constexpr extent a{.source = 2, .target = 0, .constant = 5}, b{.source = 1, .target = 3, .constant = 7};

}  // namespace

static_assert(a.at(10, 100) == 25 && b.at(10, 100) == 317 && extent{}.at(10, 100) == 0);
static_assert(never_above(a, upper(a, b)) && never_above(b, upper(a, b)) && never_above(a, a));
static_assert(!never_above(a, b) && !never_above(b, a), "which is larger depends on the token counts");

TEST_CASE("extent: sums and multiples are those of the sizes, for any token counts") {
  for (const index_t s : {0, 1, 1000})
    for (const index_t t : {0, 3, 70000}) {
      CHECK((a + b).at(s, t) == a.at(s, t) + b.at(s, t));
      CHECK((6 * b).at(s, t) == 6 * b.at(s, t));
      CHECK(upper(a, b).at(s, t) >= (a.at(s, t) > b.at(s, t) ? a.at(s, t) : b.at(s, t)));
    }
  CHECK((index_t{1} << 20) * extent{.source = index_t{1} << 20} == extent{.source = index_t{1} << 40});
}
