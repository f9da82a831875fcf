#include <formwork/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace formwork;

template <class T>
concept has_view = requires {
  std::declval<T>().view();
};

TEST_CASE("tensor: zero at first, indexed row by row, with checked indices") {
  tensor<float, dynamic, 3> t(2);
  CHECK(t.size() == 6);
  CHECK(t.extents() == extents<2, 3>());
  for (float x : t.elements()) CHECK(x == 0.0f);
  t(1, 2) = 7;
  CHECK(t.data()[5] == 7.0f);
  CHECK_THROWS_WITH_AS(t(2, 0), "tensor: index 2 on axis 0 of the extents [2, 3]", error);
  CHECK_THROWS_AS(t(0, -1), error);
  tensor<double, 2, 3> fixed;
  CHECK(fixed.size() == 6);
  CHECK(tensor<float, dynamic, 3>().size() == 0);
}

TEST_CASE("tensor: a shape and elements from a file must fit the type and each other") {
  const std::vector<index_t> shape{2, 3};
  const std::vector<float> data{1, 2, 3, 4, 5, 6};
  const tensor<float, dynamic, 3> t(shape, data);
  CHECK(t(1, 0) == 4.0f);
  CHECK_THROWS_WITH_AS((tensor<float, dynamic, 4>(shape, data)), "extents: axis 1 is 3, expected 4", error);
  CHECK_THROWS_WITH_AS((matrix<float>(std::vector<index_t>{2, 2}, data)),
                       "tensor: 6 elements given for the shape [2, 2]", error);
}

TEST_CASE("tensor: a size that does not fit 64 bits is an error, not an overflow") {
  CHECK_THROWS_AS(matrix<float>(index_t{1} << 40, index_t{1} << 40), error);
}

TEST_CASE("tensor: copies are deep and keep the memory of a destination of the same size") {
  matrix<float> a(2, 3), b(2, 3);
  a.fill(1.5f);
  const float* place = b.data();
  b = a;
  CHECK(b.data() == place);
  a(0, 0) = 9;
  CHECK(b(0, 0) == 1.5f);
  matrix<float> c(a);
  CHECK(c(0, 0) == 9.0f);
  c = matrix<float>(4, 1);
  CHECK(c.extents() == extents<4, 1>());
  b = c;
  CHECK(b.extents() == extents<4, 1>());
  const float* source = a.data();
  const matrix<float> moved(std::move(a));
  CHECK(moved.data() == source);
}

TEST_CASE("tensor: a moved-from tensor has no elements and says so, until it is assigned one") {
  matrix<float> a(2, 3), b(1, 1);
  matrix<float> c(std::move(a));
  CHECK_THROWS_WITH_AS(a(0, 0), "tensor: its elements have been moved to another one", error);
  CHECK_THROWS_AS(a.view(), error);
  CHECK_THROWS_AS(matrix<float>{a}, error);
  CHECK_THROWS_AS(b = a, error);
  CHECK(a.elements().empty());
  a = c;
  CHECK(a(1, 2) == 0.0f);
  c = std::move(b);  // what c had goes to b, shape and all
  CHECK(c.extents() == extents<1, 1>());
  CHECK(b.extents() == extents<2, 3>());
  CHECK(b(1, 2) == 0.0f);
}

TEST_CASE("tensor: a view of a constant tensor is read-only and of a temporary does not exist") {
  using t = tensor<float, 2, 3>;
  static_assert(std::is_same_v<decltype(std::declval<t&>().view()), tensor_view<float, extents<2, 3>>>);
  static_assert(
      std::is_same_v<decltype(std::declval<const t&>().view()), tensor_view<const float, extents<2, 3>>>);
  static_assert(has_view<t&> && !has_view<t> && !has_view<const t>);
  static_assert(tensor_owner<t> && !expression<t> && expression<t::view_type>);
}
