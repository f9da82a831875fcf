#include <formwork/tensor/broadcast.hpp>

#include <doctest/doctest.h>

using namespace formwork;

template <class A, class B, class Result>
constexpr bool gives =
    std::is_same_v<broadcast_extents<A, B>, Result>&& std::is_same_v<broadcast_extents<B, A>, Result>;

static_assert(gives<extents<4, 5>, extents<5>, extents<4, 5>>);
static_assert(gives<extents<4, 1>, extents<1, 5>, extents<4, 5>>);
static_assert(gives<extents<dynamic, 5>, extents<5>, extents<dynamic, 5>>);
static_assert(gives<extents<dynamic, 5>, extents<3, dynamic>, extents<3, 5>>);
static_assert(gives<extents<dynamic, 1>, extents<7>, extents<dynamic, 7>>);
static_assert(gives<extents<2, 1, 6>, extents<dynamic, 1>, extents<2, dynamic, 6>>);
static_assert(!broadcastable<extents<4, 5>, extents<4, 6>> && !broadcastable<extents<4>, extents<5, 3>>);

static_assert(fills<extents<dynamic, 5>, extents<5>> && fills<extents<4, 5>, extents<dynamic, 1>>);
static_assert(!fills<extents<1, 5>, extents<4, 5>> && !fills<extents<5>, extents<1, 5>> &&
              !fills<extents<4>, extents<5>>);

TEST_CASE("broadcast: run-time sizes follow the numpy rules") {
  const extents<dynamic, dynamic, 3> a(2, 1);
  const extents<dynamic, 3> b(4);
  CHECK_NOTHROW(check_broadcast(a, b));
  CHECK(broadcast(a, b) == extents<2, 4, 3>());
  CHECK(broadcast(b, a) == extents<2, 4, 3>());
  CHECK(broadcast(extents<dynamic, 3>(0), extents<1, 3>()) == extents<0, 3>());
}

TEST_CASE("broadcast: run-time sizes that differ are an error that names both shapes") {
  CHECK_THROWS_WITH_AS(
      (check_broadcast(extents<dynamic, 3>(2), extents<dynamic, 3>(4))),
      "tensor expression: the operands' extents [2, 3] and [4, 3] cannot be broadcast together", error);
  CHECK_THROWS_WITH_AS(
      (check_broadcast(extents<dynamic, dynamic>(2, 1), extents<2, 3>())),
      "tensor expression: the operands' extents [2, 1] and [2, 3] cannot be broadcast together; "
      "an extent 1 of the last axis must be in the type",
      error);
}

TEST_CASE("broadcast: an expression fills a destination of its shape or by repeating axes of extent one") {
  CHECK_NOTHROW(check_fills(extents<dynamic, 3>(2), extents<dynamic, 3>(1)));
  CHECK_NOTHROW(check_fills(extents<dynamic, 3>(2), extents<dynamic, 1>(2)));
  CHECK_NOTHROW(check_fills(extents<dynamic, dynamic>(2, 1), extents<2, dynamic>(1)));
  CHECK_THROWS_WITH_AS((check_fills(extents<dynamic, 3>(1), extents<dynamic, 3>(2))),
                       "tensor expression: extents [2, 3] do not fit the destination's [1, 3]", error);
  CHECK_THROWS_AS((check_fills(extents<2, 3>(), extents<2, dynamic>(1))), error);
}
