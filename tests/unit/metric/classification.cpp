#include <formwork/metric/classification.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

namespace {

/// A matrix of two classes from its four counts.
confusion_matrix binary(int true_positive, int false_positive, int false_negative, int true_negative) {
  confusion_matrix matrix(2);
  for (int i = 0; i < true_positive; ++i) matrix.add(1, 1);
  for (int i = 0; i < false_positive; ++i) matrix.add(0, 1);
  for (int i = 0; i < false_negative; ++i) matrix.add(1, 0);
  for (int i = 0; i < true_negative; ++i) matrix.add(0, 0);
  return matrix;
}

}  // namespace

TEST_CASE("classification: two classes agree with the textbook formulas") {
  const auto matrix = binary(6, 1, 2, 3);
  CHECK(matrix.total() == 12);
  CHECK(matrix.accuracy() == doctest::Approx(9.0 / 12));
  CHECK(matrix.f1() == doctest::Approx(12.0 / 15));
  CHECK(matrix.f1(0) == doctest::Approx(6.0 / 9));
  CHECK(matrix.macro_f1() == doctest::Approx((12.0 / 15 + 6.0 / 9) / 2));
  CHECK(matrix.matthews() == doctest::Approx((6 * 3 - 1 * 2) / std::sqrt(7.0 * 8 * 4 * 5)));
}

TEST_CASE("classification: the extremes of Matthews' coefficient") {
  CHECK(binary(4, 0, 0, 3).matthews() == doctest::Approx(1));
  CHECK(binary(0, 3, 4, 0).matthews() == doctest::Approx(-1));
  CHECK(binary(4, 3, 0, 0).matthews() == 0);  // always the same answer
}

TEST_CASE("classification: three classes") {
  confusion_matrix matrix(3);
  const int counts[3][3] = {{2, 1, 0}, {0, 3, 1}, {1, 0, 2}};
  for (int t = 0; t < 3; ++t) {
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < counts[t][p]; ++i) matrix.add(t, p);
    }
  }
  CHECK(matrix.count(1, 2) == 1);
  CHECK(matrix.accuracy() == doctest::Approx(7.0 / 10));
  CHECK(matrix.macro_f1() == doctest::Approx((4.0 / 6 + 6.0 / 8 + 4.0 / 6) / 3));
  // Sums of the classes: true 3 4 3, predicted 3 4 3.
  CHECK(matrix.matthews() == doctest::Approx((7.0 * 10 - 34) / (100 - 34)));
}

TEST_CASE("classification: scores of nothing are 0") {
  const confusion_matrix matrix(2);
  CHECK(matrix.accuracy() == 0);
  CHECK(matrix.f1() == 0);
  CHECK(matrix.matthews() == 0);
}

TEST_CASE("classification: matrices add up") {
  auto sum = binary(1, 2, 3, 4);
  sum += binary(10, 20, 30, 40);
  CHECK(sum.count(1, 1) == 11);
  CHECK(sum.count(0, 1) == 22);
  CHECK(sum.total() == 110);
  CHECK_THROWS_AS(sum += confusion_matrix(3), error);
}

TEST_CASE("classification: a class that does not exist is an error") {
  confusion_matrix matrix(2);
  CHECK_THROWS_WITH_AS(matrix.add(2, 0), "confusion matrix: class 2, expected 0 to 1", error);
  CHECK_THROWS_WITH_AS(matrix.add(0, -1), "confusion matrix: class -1, expected 0 to 1", error);
  CHECK_THROWS_AS(confusion_matrix(1), error);
  CHECK_THROWS_AS(confusion_matrix(index_t{1} << 32), error);  // classes times classes is 0 in 64 bits
}

TEST_CASE("perplexity: guessing among ten has perplexity ten") {
  CHECK(perplexity(7 * std::log(10.0), 7) == doctest::Approx(10));
  CHECK(perplexity(0, 5) == 1);
  CHECK_THROWS_WITH_AS(perplexity(1, 0), "perplexity: 0 tokens, expected at least 1", error);
}
