#include <formwork/model/activation_arena.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace formwork;

namespace {
constexpr extent total{.source = 3, .target = 5};
}

TEST_CASE("activation_arena: grows to what is asked for and never shrinks") {
  activation_arena<float> arena;
  CHECK(arena.at({}) == nullptr);
  arena.reserve(total, 10, 0);
  CHECK(arena.source_rows() >= 10);
  CHECK(arena.target_rows() == 0);
  arena.reserve(total, 2, 20);
  CHECK(arena.source_rows() >= 10);
  CHECK(arena.target_rows() >= 20);
  const float* place = arena.at({});
  arena.reserve(total, 10, 20);
  CHECK(arena.at({}) == place);
  CHECK(arena.at({.source = 1}) == place + arena.source_rows());
  *(arena.at(total) - 1) = 1;  // the last of it
}

TEST_CASE("activation_arena: where there is no memory for all of it, less may be asked for") {
  activation_arena<double> arena;
  arena.reserve(total, 16, 16);
  CHECK_THROWS_AS(arena.reserve({.source = index_t{1} << 26}, index_t{1} << 36, 0), error);
  CHECK(arena.source_rows() == 0);
  arena.reserve(total, 16, 16);
  CHECK(arena.at({}) != nullptr);
  for (const index_t many : {(index_t{1} << 36) + 1, std::numeric_limits<index_t>::max()})
    CHECK_THROWS_WITH_AS(arena.reserve(total, 1, many), doctest::Contains("expected at most 68719476736"),
                         error);
  CHECK(arena.target_rows() == 16);
}
