#include <formwork/core/math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace formwork;

namespace {

template <class T, class F, class G>
void compare(F f, G oracle, double lowest, double highest, double tolerance) {
  constexpr index_t width = simd::width<T>;
  T x[width], y[width];
  for (int block = 0; block < 50; ++block) {
    for (index_t i = 0; i < width; ++i)
      x[i] = T(lowest + (highest - lowest) * double(block * width + i) / double(50 * width - 1));
    simd::store(y, f(simd::load(x)));
    for (index_t i = 0; i < width; ++i) {
      const double expected = oracle(double(x[i])), size = std::abs(expected) + 1e-30;
      CHECK(std::abs(double(f(x[i])) - expected) <= tolerance * size);
      CHECK(std::abs(double(y[i]) - expected) <= tolerance * size);
    }
  }
}

template <class T>
void compare_all(double tolerance) {
  compare<T>([](auto v) { return formwork::exp(v); }, [](double v) { return std::exp(v); }, -20, 20,
             tolerance);
  compare<T>([](auto v) { return formwork::log(v); }, [](double v) { return std::log(v); }, 1.5, 90,
             tolerance);
  compare<T>([](auto v) { return formwork::tanh(v); }, [](double v) { return std::tanh(v); }, -5, 5,
             tolerance);
  compare<T>([](auto v) { return formwork::erf(v); }, [](double v) { return std::erf(v); }, -4, 4, tolerance);
  compare<T>([](auto v) { return formwork::sqrt(v); }, [](double v) { return std::sqrt(v); }, 0, 50,
             tolerance);
  compare<T>([](auto v) { return formwork::abs(v); }, [](double v) { return std::abs(v); }, -3, 3, 0);
  compare<T>([](auto v) { return formwork::sign(v); }, [](double v) { return double((v > 0) - (v < 0)); }, -3,
             3, 0);
  compare<T>([](auto v) { return formwork::sigmoid(v); }, [](double v) { return 1 / (1 + std::exp(-v)); },
             -30, 30, tolerance);
  compare<T>([](auto v) { return formwork::max(v, decltype(v)(T(0.5))); },
             [](double v) { return v < 0.5 ? 0.5 : v; }, -3, 3, 0);
  compare<T>([](auto v) { return formwork::min(v, decltype(v)(T(0.5))); },
             [](double v) { return v < 0.5 ? v : 0.5; }, -3, 3, 0);
}

}  // namespace

TEST_CASE("math: scalars and batches agree with the standard library in single precision") {
  compare_all<float>(1e-6);
}
TEST_CASE("math: scalars and batches agree with the standard library in double precision") {
  compare_all<double>(1e-14);
}

TEST_CASE("math: sign of zero is zero and where chooses per element") {
  CHECK(formwork::sign(0.0f) == 0.0f);
  CHECK(formwork::sign(-0.0) == 0.0);
  constexpr index_t width = simd::width<float>;
  float x[width], y[width];
  for (index_t i = 0; i < width; ++i) x[i] = i % 2 ? -float(i) : float(i);
  const auto v = simd::load(x);
  simd::store(y, formwork::where(v < simd::batch<float>(0.0f), -v, v + 1.0f));
  for (index_t i = 0; i < width; ++i) CHECK(y[i] == (i % 2 ? float(i) : float(i) + 1));
}

TEST_CASE("math: sigmoid saturates instead of overflowing") {
  CHECK(formwork::sigmoid(-1e4f) == 0.0f);
  CHECK(formwork::sigmoid(1e4f) == 1.0f);
  float y[simd::width<float>];
  simd::store(y, formwork::sigmoid(simd::batch<float>(-1e4f)));
  CHECK(y[0] == 0.0f);
}

static_assert(std::same_as<scalar_of<float>, float> && std::same_as<scalar_of<simd::batch<double>>, double>);
