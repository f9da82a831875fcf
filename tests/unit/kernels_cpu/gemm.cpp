#include <formwork/kernels/cpu/gemm.hpp>

#include <formwork/core/philox.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

/// A matrix in storage with rows wider than the matrix; what lies between the rows is not-a-number.
template <class T>
struct stored {
  index_t rows, width, stride;
  std::vector<T> values;

  stored(index_t rows, index_t width, index_t gap)
      : rows(rows),
        width(width),
        stride(width + gap),
        values(std::size_t(rows * (width + gap) + 1), std::numeric_limits<T>::quiet_NaN()) {}
  T& at(index_t r, index_t c) { return values[std::size_t(r * stride + c)]; }
  const T& at(index_t r, index_t c) const { return values[std::size_t(r * stride + c)]; }
  matrix_view<T> view() { return {values.data(), rows, width, stride}; }
  /// The matrix [rows, width] kept as it is or as its transpose.
  stored kept(bool transposed, index_t gap) const {
    stored out(transposed ? width : rows, transposed ? rows : width, gap);
    for (index_t r = 0; r < rows; ++r)
      for (index_t c = 0; c < width; ++c) (transposed ? out.at(c, r) : out.at(r, c)) = at(r, c);
    return out;
  }
  cpu::operand<T> operand(bool transposed) const { return {values.data(), stride, transposed}; }
};

/// Small whole numbers: every sum of products is exact, so a correct product has the reference's bits.
template <class T>
stored<T> whole_numbers(index_t rows, index_t width, std::uint32_t seed) {
  stored<T> out(rows, width, 0);
  std::uint32_t state = seed * 2654435761u + 1;
  for (index_t i = 0; i < rows * width; ++i) {
    state = state * 1664525u + 1013904223u;
    out.values[std::size_t(i)] = T(int(state >> 24) % 17 - 8);
  }
  return out;
}

template <class T>
stored<T> real_numbers(index_t rows, index_t width, std::uint32_t seed) {
  stored<T> out(rows, width, 0);
  std::uint32_t state = seed * 2654435761u + 1;
  for (index_t i = 0; i < rows * width; ++i) {
    state = state * 1664525u + 1013904223u;
    out.values[std::size_t(i)] = T(std::sin(double(state >> 8)));
  }
  return out;
}

template <class T>
stored<T> product(cpu_backend& backend, const stored<T>& a, const stored<T>& b, bool a_transposed,
                  bool b_transposed) {
  const stored<T> a_kept = a.kept(a_transposed, 0), b_kept = b.kept(b_transposed, 0);
  stored<T> c(a.rows, b.width, 0);
  cpu::gemm(backend, a.width, a_kept.operand(a_transposed), b_kept.operand(b_transposed), c.view());
  return c;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), (a.size() - 1) * sizeof(T)) == 0;
}

constexpr bool both[] = {false, true};

/// Compares all four forms, with and without `add`, with a plain loop; exact, and nothing outside of C is
/// touched.
template <class T>
void check_exact(cpu_backend& backend, index_t m, index_t n, index_t k) {
  const stored<T> a = whole_numbers<T>(m, k, 1), b = whole_numbers<T>(k, n, 2),
                  old = whole_numbers<T>(m, n, 3);
  stored<T> sum(m, n, 0);
  std::fill(sum.values.begin(), sum.values.end(), T(0));
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l)
      for (index_t j = 0; j < n; ++j) sum.at(i, j) += a.at(i, l) * b.at(l, j);
  for (const bool a_transposed : both) {
    for (const bool b_transposed : both) {
      for (const bool add : both) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(a_transposed);
        CAPTURE(b_transposed);
        CAPTURE(add);
        const stored<T> a_kept = a.kept(a_transposed, 5), b_kept = b.kept(b_transposed, 3);
        stored<T> c = old.kept(false, 7);
        cpu::gemm(backend, k, a_kept.operand(a_transposed), b_kept.operand(b_transposed), c.view(), add);
        index_t wrong = 0, touched = 0;
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) wrong += c.at(i, j) != (add ? old.at(i, j) : T(0)) + sum.at(i, j);
          for (index_t j = n; j < n + 7; ++j) touched += !std::isnan(c.at(i, j));
        }
        CHECK(wrong == 0);
        CHECK(touched == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("gemm: equals a plain loop on whole numbers in every form, odd shapes and strides", T,
                   float, double) {
  cpu_backend one(1), three(3);
  for (const index_t m : {1, 3, 31, 33})
    for (const index_t n : {1, 3, 31, 33, 127})
      for (const index_t k : {1, 3, 31, 33}) check_exact<T>(one, m, n, k);
  for (const index_t odd : {255, 257, 1023}) {
    check_exact<T>(three, odd, 31, 33);
    check_exact<T>(three, 33, odd, 31);
    check_exact<T>(three, 3, 33, odd);
    check_exact<T>(three, 257, 33, odd);
  }
  check_exact<T>(three, 255, 257, 1023);
  check_exact<T>(three, 29, 1023, 257);
}

TEST_CASE("gemm: every row count from 1 to 45 equals a plain loop") {
  cpu_backend backend(1);
  for (index_t m = 1; m <= 45; ++m) check_exact<float>(backend, m, 35, 17);
}

TEST_CASE_TEMPLATE("gemm: the rounding error stays within the bound of blocked summation", T, float, double) {
  using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  cpu_backend backend(2);
  const index_t shapes[][3] = {{33, 31, 1023}, {257, 33, 255}, {1, 257, 1023}, {31, 1, 3001}};
  for (const auto& [m, n, k] : shapes) {
    const stored<T> a = real_numbers<T>(m, k, 4), b = real_numbers<T>(k, n, 5);
    for (const bool a_transposed : both) {
      const stored<T> c = product(backend, a, b, a_transposed, true);
      // A step of at most `depth` fused multiply-adds, then one addition a step: half a unit in the last
      // place each.
      const wide steps = wide((std::min)(k, cpu::gemm_sizes<T>::depth) + k / 16 + 2);
      wide worst = 0;
      for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < n; ++j) {
          wide exact = 0, size = 0;
          for (index_t l = 0; l < k; ++l) {
            exact += wide(a.at(i, l)) * wide(b.at(l, j));
            size += std::abs(wide(a.at(i, l)) * wide(b.at(l, j)));
          }
          worst = (std::max)(worst, std::abs(wide(c.at(i, j)) - exact) / size);
        }
      }
      CHECK(worst > 0);
      CHECK(worst <= steps * wide(std::numeric_limits<T>::epsilon()) / 2);
    }
  }
}

TEST_CASE("gemm: the bits do not depend on the number of threads") {
  cpu_backend one(1), two(2), three(3);
  const index_t shapes[][3] = {{128, 128, 2048}, {517, 131, 389}, {3, 1500, 70}, {150, 700, 800}};
  for (const auto& [m, n, k] : shapes) {
    const stored<float> a = real_numbers<float>(m, k, 6), b = real_numbers<float>(k, n, 7);
    for (const bool a_transposed : both) {
      for (const bool b_transposed : both) {
        const auto expected = product(one, a, b, a_transposed, b_transposed).values;
        CHECK(same_bits(expected, product(two, a, b, a_transposed, b_transposed).values));
        CHECK(same_bits(expected, product(three, a, b, a_transposed, b_transposed).values));
      }
    }
  }
}

TEST_CASE_TEMPLATE("gemm: a row has the same bits alone, in any company, at any place", T, float, double) {
  cpu_backend backend(2);
  const index_t m = 300, n = 331, k = 997;
  const stored<T> a = real_numbers<T>(m, k, 8), b = real_numbers<T>(k, n, 9);
  for (const bool b_transposed : both) {
    const stored<T> all = product(backend, a, b, false, b_transposed), b_kept = b.kept(b_transposed, 0);
    for (const index_t count : {1, 2, 5, 14, 15, 40, 113, 141}) {
      for (const index_t first : {index_t(0), index_t(7), m - count}) {
        for (const index_t width : {n, index_t(1), index_t(37)}) {
          stored<T> c(count, width, 0);
          cpu::gemm(backend, k, {&a.at(first, 0), a.stride}, b_kept.operand(b_transposed), c.view());
          index_t different = 0;
          for (index_t i = 0; i < count; ++i)
            different += std::memcmp(&c.at(i, 0), &all.at(first + i, 0), std::size_t(width) * sizeof(T)) != 0;
          CAPTURE(count);
          CAPTURE(first);
          CAPTURE(width);
          CHECK(different == 0);
        }
      }
    }
  }
}

TEST_CASE("gemm: epilogue blocks cover C once, start at multiples of 32, are wide enough and finished") {
  cpu_backend backend(3);
  const index_t shapes[][3] = {{1, 1, 1},       {5, 129, 7},   {300, 1000, 500},
                               {128, 96, 3000}, {2, 3001, 40}, {7, 90, 0}};
  for (const auto& shape : shapes) {
    const index_t m = shape[0], n = shape[1], k = shape[2];
    const stored<float> a = whole_numbers<float>(m, k, 10), b = whole_numbers<float>(k, n, 11);
    for (const bool a_transposed : both) {
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      CAPTURE(a_transposed);
      stored<float> expected = product(backend, a, b, a_transposed, false), c(m, n, 2);
      const stored<float> a_kept = a.kept(a_transposed, 0);
      std::mutex mutex;
      index_t bad = 0;
      const auto negate = [&](index_t row, index_t column, matrix_view<float> block) {
        const std::lock_guard lock(mutex);
        bad += column % 32 != 0 || block.width < (std::min)(n, index_t(128)) ||
               block.row(0) != &c.at(row, column);
        for (index_t i = 0; i < block.rows; ++i)
          for (index_t j = 0; j < block.width; ++j) block.row(i)[j] = 1 - block.row(i)[j];
      };
      cpu::gemm(backend, k, a_kept.operand(a_transposed), b.operand(false), c.view(), false, negate);
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) bad += c.at(i, j) != 1 - expected.at(i, j);
      CHECK(bad == 0);
    }
  }
}

TEST_CASE("gemm: an inner dimension of zero gives zero or leaves C, empty results are allowed") {
  cpu_backend backend(2);
  stored<float> c = whole_numbers<float>(5, 7, 12);
  const auto before = c.values;
  const float* none = nullptr;
  cpu::gemm(backend, 0, {none, 7}, {none, 7}, c.view(), true);
  CHECK(same_bits(before, c.values));
  cpu::gemm(backend, 0, {none, 0}, {none, 7}, c.view());
  for (index_t i = 0; i < 35; ++i) CHECK(c.values[std::size_t(i)] == 0);
  cpu::gemm(backend, 4, {none, 4}, {none, 7}, matrix_view<float>(nullptr, 0, 7));
  cpu::gemm(backend, 4, {none, 4}, {none, 0}, matrix_view<float>(nullptr, 7, 0));
}

TEST_CASE("gemm: not-a-number and infinity reach the row and column they belong to, and no other") {
  cpu_backend backend(2);
  for (const bool a_transposed : both) {
    stored<float> a = whole_numbers<float>(41, 500, 13), b = whole_numbers<float>(500, 45, 14);
    a.at(40, 499) = std::numeric_limits<float>::quiet_NaN();
    b.at(3, 44) = std::numeric_limits<float>::infinity();
    const stored<float> c = product(backend, a, b, a_transposed, true);
    index_t wrong = 0;
    for (index_t i = 0; i < 41; ++i)
      for (index_t j = 0; j < 45; ++j) {
        const bool spoilt = i == 40 || j == 44;
        wrong += std::isfinite(c.at(i, j)) == spoilt || (i == 40 && !std::isnan(c.at(i, j)));
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("gemm: later calls of a shape find their scratch memory in place") {
  cpu_backend backend(2);
  const stored<float> a = real_numbers<float>(200, 700, 15), b = real_numbers<float>(700, 150, 16);
  const auto places = [&] {
    std::vector<const float*> all = {backend.scratch<float>(cpu::slot_gemm_pack, 0),
                                     backend.scratch<float>(cpu::slot_gemm_split, 0)};
    for (int i = 0; i < 2; ++i) all.push_back(backend.member_scratch<float>(i, cpu::slot_gemm_pack, 0));
    return all;
  };
  for (const bool transposed : both) product(backend, a, b, transposed, false);
  const auto before = places();
  for (const bool transposed : both) product(backend, a, b, transposed, false);
  for (const float* place : before) CHECK(place != nullptr);
  CHECK(places() == before);
}

TEST_CASE("gemm: a stride narrower than a row is an error") {
  cpu_backend backend(1);
  stored<float> a(4, 4, 0), b(4, 4, 0), c(4, 4, 0);
  CHECK_THROWS_AS(cpu::gemm(backend, 4, {a.values.data(), 3}, b.operand(false), c.view()), error);
  CHECK_THROWS_AS(cpu::gemm(backend, 4, a.operand(false), {b.values.data(), 3, true}, c.view()), error);
  CHECK_THROWS_AS(cpu::gemm(backend, -1, a.operand(false), b.operand(false), c.view()), error);
}
