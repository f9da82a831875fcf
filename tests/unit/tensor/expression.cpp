#include <formwork/tensor/expression.hpp>

#include <formwork/tensor/reductions.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

// A team for one element at a time: the nodes ask nothing else of an evaluator.
struct scalar_team {
  template <class T, class Operation, class Cursor>
  T reduce(const Operation& operation, const Cursor& cursor, index_t n) const {
    T total = Operation::template identity<T>();
    for (index_t j = 0; j < n; ++j) total = operation(total, cursor.template at<T>(j));
    return operation.finish(total, n);
  }
};

using view3 = tensor_view<const double, extents<dynamic, 3>>;

}  // namespace

static_assert(std::is_trivially_copyable_v<view3> &&
              std::is_trivially_copyable_v<decltype(view3() + view3() * 2)>);
static_assert(std::is_same_v<decltype(view3() * 2 + 1)::value_type, double>);
static_assert(std::is_same_v<decltype(row_sum(view3()))::extents_type, extents<dynamic, 1>>);
static_assert(decltype(view3() - row_max(view3()))::reduces && !decltype(view3() * view3())::reduces);

TEST_CASE("expression: the cursor of a row computes one element at a time") {
  const double x[6] = {1, 2, 3, 4, 5, 6}, v[3] = {10, 20, 30};
  const view3 a(x, extents<dynamic, 3>(2));
  const tensor_view<const double, extents<3>> b(v, {});
  const auto e = a * b + 1;
  CHECK(e.extents() == extents<2, 3>());
  const auto row = e.row(position_of_row(e.extents(), 1), scalar_team{});
  CHECK(row.at<double>(0) == 41.0);
  CHECK(row.at<double>(2) == 181.0);
  CHECK_FALSE(e.flat(e.extents()));
  CHECK((a * a).flat(a.extents()));
  CHECK((a * a + 2).line().at<double>(4) == 27.0);
}

TEST_CASE("expression: a row reduction is a constant of its row") {
  const double x[6] = {1, 2, 3, 4, 5, 9};
  const view3 a(x, extents<dynamic, 3>(2));
  const auto at = [&](const auto& e, index_t r, index_t j) {
    return e.row(position_of_row(e.extents(), r), scalar_team{}).template at<double>(j);
  };
  CHECK(at(row_sum(a), 1, 0) == 18.0);
  CHECK(at(row_mean(a), 0, 0) == 2.0);
  CHECK(at(row_max(a - 10), 1, 0) == -1.0);
  CHECK(at(a - row_mean(a), 1, 2) == 3.0);
}

TEST_CASE("expression: every leaf is visited") {
  const double x[3] = {1, 2, 3};
  const view3 a(x, extents<dynamic, 3>(1));
  int leaves = 0;
  (exp(a) * row_sum(a + 2) - a).each_view([&](const auto& leaf) {
    CHECK(leaf.data() == x);
    ++leaves;
  });
  CHECK(leaves == 3);
}
