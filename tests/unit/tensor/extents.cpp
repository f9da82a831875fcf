#include <formwork/tensor/extents.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace formwork;

static_assert(extents<3, dynamic, 5>::rank == 3 && extents<3, dynamic, 5>::dynamic_axes == 1);
static_assert(sizeof(extents<dynamic, 128>) == sizeof(index_t));  // only dynamic extents are stored
static_assert(std::is_same_v<dynamic_extents<2>, extents<dynamic, dynamic>>);
static_assert(std::is_same_v<detail::with_one_column<extents<2, dynamic>>, extents<2, 1>>);
static_assert(std::is_same_v<detail::with_dynamic_rows<extents<2, 3>>, extents<dynamic, 3>>);

TEST_CASE("extents: static and dynamic axes are read alike") {
  constexpr extents<2, dynamic, 5, dynamic> shape(3, 7);
  static_assert(shape[0] == 2 && shape[1] == 3 && shape[2] == 5 && shape[3] == 7);
  static_assert(shape.size() == 210 && shape.rows() == 30 && shape.columns() == 7);
  CHECK(text_of(shape) == "[2, 3, 5, 7]");
  CHECK(extents<dynamic>(4).rows() == 1);
  CHECK(extents<dynamic, 4>().size() == 0);
}

TEST_CASE("extents: shapes compare by their numbers, not by what is in the type") {
  CHECK(extents<dynamic, 3>(2) == extents<2, dynamic>(3));
  CHECK_FALSE(extents<dynamic, 3>(2) == extents<2, dynamic>(4));
  CHECK_FALSE(extents<2, 3>() == extents<2, 3, 1>());
}

TEST_CASE("extents: a shape from a file must have the axes that the type states") {
  const auto from = [](std::vector<index_t> shape) { return extents<dynamic, 4>::from(shape); };
  CHECK(from({3, 4}) == extents<3, 4>());
  CHECK_THROWS_WITH_AS(from({3, 5}), "extents: axis 1 is 5, expected 4", error);
  CHECK_THROWS_WITH_AS(from({3, 4, 1}), "extents: a shape of 3 axes given, expected 2", error);
  CHECK_THROWS_WITH_AS(from({-3, 4}), "extents: -3 given as a size", error);
  CHECK_THROWS_WITH_AS((extents<dynamic, 4>(-1)), "extents: -1 given as a size", error);
}
