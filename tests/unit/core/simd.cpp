#include <formwork/core/simd.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace formwork;

namespace {

template <class T>
T exp_of(T x) {
  alignas(64) T lane[simd::width<T>];
  simd::store(lane, simd::exp(simd::batch<T>(x)));
  return lane[simd::width<T> - 1];
}

/// Largest error of exp in units in the last place of the exact value, over an even grid.
template <class T>
double worst_exp(long double from, long double to, int points) {
  double worst = 0;
  for (int i = 0; i <= points; ++i) {
    const T x = T(from + (to - from) * i / points);
    const long double exact = std::exp(static_cast<long double>(x));
    int exponent;
    std::frexp(exact, &exponent);
    const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
    worst = std::max(worst, double(std::fabs(static_cast<long double>(exp_of(x)) - exact) / ulp));
  }
  return worst;
}

}  // namespace

TEST_CASE(
    "simd: exp is within 1.5 units in the last place, from the smallest normal number to half the largest") {
  CHECK(worst_exp<float>(-87, 88, 400000) <= 1.5);
  CHECK(worst_exp<float>(-1e-3L, 1e-3L, 20000) <= 1.5);
  CHECK(worst_exp<double>(-708, 709, 200000) <= 1.5);
}

TEST_CASE_TEMPLATE("simd: exp of what is no ordinary number", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  CHECK(exp_of(T(0)) == T(1));
  CHECK(exp_of(-infinity) == T(0));
  CHECK(exp_of(T(-2000)) == T(0));
  CHECK(exp_of(infinity) == infinity);
  CHECK(exp_of(T(2000)) == infinity);
  CHECK(std::isnan(exp_of(std::numeric_limits<T>::quiet_NaN())));
}

TEST_CASE_TEMPLATE("simd: parts of a batch touch nothing beyond their end", T, float, double) {
  constexpr index_t W = simd::width<T>;
  for (index_t n = 0; n < W; ++n) {
    const std::vector<T> exact(std::size_t(n), T(3));  // what a sanitizer watches
    std::vector<T> lane(W), to(std::size_t(W), T(7));
    simd::store(lane.data(), simd::load_part(exact.data(), n, T(5)));
    for (index_t i = 0; i < W; ++i) CHECK(lane[std::size_t(i)] == (i < n ? T(3) : T(5)));
    simd::store_part(to.data(), simd::batch<T>(T(1)), n);
    for (index_t i = 0; i < W; ++i) CHECK(to[std::size_t(i)] == (i < n ? T(1) : T(7)));
  }
}

TEST_CASE_TEMPLATE("simd: sums, maxima, selection and masks", T, float, double) {
  constexpr index_t W = simd::width<T>;
  std::vector<T> x(W), y(W);
  for (index_t i = 0; i < W; ++i) x[std::size_t(i)] = T((i * 5) % W) - T(1);
  const simd::batch<T> v = simd::load(x.data());
  CHECK(simd::sum(v) == T(W * (W - 1) / 2 - W));
  CHECK(simd::highest(v) == T(W - 2));
  simd::store(y.data(), simd::keep(0b101, simd::batch<T>(std::numeric_limits<T>::quiet_NaN())));
  for (index_t i = 0; i < W; ++i) CHECK(std::isnan(y[std::size_t(i)]) == (i == 0 || i == 2));
  simd::store(y.data(), simd::where(v < simd::batch<T>(T(0)), simd::batch<T>(T(9)), v));
  for (index_t i = 0; i < W; ++i)
    CHECK(y[std::size_t(i)] == (x[std::size_t(i)] < 0 ? T(9) : x[std::size_t(i)]));
}
