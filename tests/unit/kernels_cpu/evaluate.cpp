#include <formwork/kernels/cpu/evaluate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace formwork;

namespace {

template <class T>
void number(T& t) {
  for (index_t i = 0; i < t.size(); ++i) t.data()[i] = typename T::value_type((i * 37 % 101) - 50) / 25;
}

}  // namespace

TEST_CASE_TEMPLATE("evaluate: broadcasts of rows, columns and outer axes agree with plain loops", T, float,
                   double) {
  for (index_t width : {1, 3, 8, 17, 37, 64}) {
    tensor<T, 3, dynamic, dynamic> a(2, width), y(2, width);
    tensor<T, dynamic> row(width);
    tensor<T, dynamic, 1> column(2);
    tensor<T, 3, 1, dynamic> outer(width);
    number(a), number(row), number(column), number(outer);
    y = a * row + column - outer;
    for (index_t i = 0; i < 3; ++i)
      for (index_t j = 0; j < 2; ++j)
        for (index_t k = 0; k < width; ++k)
          CHECK(y(i, j, k) ==
                doctest::Approx(a(i, j, k) * row(k) + column(j, 0) - outer(i, 0, k)).epsilon(1e-5));
  }
}

TEST_CASE("evaluate: neither the elements around a destination nor those around a source are touched") {
  for (index_t width : {1, 5, 15, 16, 17}) {
    std::vector<float> memory(std::size_t(3 * 40), -1.0f);
    const tensor_view<float, extents<3, dynamic>> block(memory.data() + 4, extents<3, dynamic>(width), 40);
    matrix<float> source(3, width);
    source.fill(2);
    evaluate(block, source * 3);
    for (index_t i = 0; i < 120; ++i) {
      const bool inside = i % 40 >= 4 && i % 40 < 4 + width;
      CHECK(memory[std::size_t(i)] == (inside ? 6.0f : -1.0f));
    }
    matrix<float> back(3, width);
    back = block - 1;
    CHECK(back(2, width - 1) == 5.0f);
  }
}

TEST_CASE("evaluate: the bits do not depend on the number of threads") {
  tensor<float, dynamic, 129> a(700), flat[3] = {tensor<float, dynamic, 129>(700), a, a}, rows[3] = {a, a, a};
  number(a);
  for (int threads : {1, 2, 5}) {
    cpu_backend backend(threads);
    const int at = threads / 2;
    evaluate(backend, flat[at], exp(a) * a + 1);
    evaluate(backend, rows[at], exp(a - row_max(a)) / row_sum(exp(a - row_max(a))));
  }
  tensor<float, dynamic, 129> alone(700);
  alone = exp(a) * a + 1;
  const std::size_t bytes = std::size_t(a.size()) * sizeof(float);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::memcmp(flat[i].data(), alone.data(), bytes) == 0);
    CHECK(std::memcmp(rows[i].data(), rows[0].data(), bytes) == 0);
  }
}

TEST_CASE("evaluate: the value of an element does not depend on its place in a row") {
  matrix<float> a(1, 67), y(1, 67);
  a.fill(0.37f);
  y = tanh(a) * exp(a);
  for (index_t j = 0; j < 67; ++j) CHECK(y(0, j) == y(0, 0));
}

TEST_CASE(
    "evaluate: a destination may be an operand at the same places, also beside reductions of its rows") {
  matrix<double> a(5, 9), expected(5, 9), y(5, 9);
  number(a);
  y = a;
  expected = exp(a) / row_sum(exp(a));
  y = exp(y) / row_sum(exp(y));
  CHECK(std::memcmp(y.data(), expected.data(), sizeof(double) * 45) == 0);
}

TEST_CASE(
    "evaluate: an operand that overlaps the destination at other places is refused, side by side is fine") {
  matrix<float> y(6, 8);
  number(y);
  const auto v = y.view();
  const char* sentence =
      "tensor expression: the destination shares memory with an operand at other places; "
      "evaluate into another tensor first";
  CHECK_THROWS_WITH_AS(evaluate(v.rows(1, 5), v.rows(0, 5)), sentence, error);
  CHECK_THROWS_WITH_AS(y = y - v.rows(0, 1), sentence, error);
  CHECK_THROWS_WITH_AS(evaluate(v.columns(0, 4), v.columns(4, 4) + v.columns(2, 4)), sentence, error);
  const float right = y(5, 7);
  evaluate(v.columns(0, 4), v.columns(4, 4) * 2);
  CHECK(y(5, 3) == right * 2);
  const float above = y(2, 0);
  evaluate(v.rows(3, 3), v.rows(0, 3) + 1);
  CHECK(y(5, 0) == above + 1);
}

TEST_CASE("evaluate: run-time extents that do not fit the destination are an error and leave it alone") {
  matrix<float> a(2, 3), y(3, 3), wide(2, 4);
  y.fill(7);
  CHECK_THROWS_WITH_AS(y = a + 1, "tensor expression: extents [2, 3] do not fit the destination's [3, 3]",
                       error);
  CHECK_THROWS_AS(y = wide * 2, error);
  CHECK(y(0, 0) == 7.0f);
  CHECK_THROWS_AS((tensor<float, 2, 3>(wide * 2)), error);
}

TEST_CASE("evaluate: numbers, views and other tensors fill a tensor; empty ones are left alone") {
  tensor<float, dynamic, 4> y(3);
  tensor<float, 3, dynamic> x(4);
  number(x);
  y = x;
  CHECK(y(2, 3) == x(2, 3));
  y = x.view().rows(1, 1);
  CHECK(y(0, 2) == x(1, 2));
  tensor<float, dynamic, 4> none;
  tensor<float, dynamic, 4> also_none(0);
  none = also_none + 1;
  CHECK(none.size() == 0);
  tensor<float, 3, 0> no_columns, others;
  no_columns = others * 2;
}

TEST_CASE("evaluate: softmax of a row is invariant under a shift and sums to one") {
  tensor<float, dynamic, 50> a(4), b(4), p(4), q(4);
  number(a);
  b = a * 8 + 64;
  a = a * 8;
  p = exp(a - row_max(a)) / row_sum(exp(a - row_max(a)));
  q = exp(b - row_max(b)) / row_sum(exp(b - row_max(b)));
  const tensor<float, dynamic, 1> total(row_sum(p));
  for (index_t r = 0; r < 4; ++r) {
    CHECK(total(r, 0) == doctest::Approx(1).epsilon(1e-6));
    for (index_t j = 0; j < 50; ++j) CHECK(p(r, j) == doctest::Approx(q(r, j)).epsilon(1e-4));
  }
}
