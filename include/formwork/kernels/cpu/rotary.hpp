#pragma once
#include <formwork/core/sequences.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>

#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Which two of a head's K columns are turned together: i and K/2 + i, or 2i and 2i + 1.
enum class rotary_pairs : std::uint8_t { halves, neighbours };

/// How rows are rotated. Row r stands at position `first` + r - (start of its sequence).
struct rotation {
  sequences rows{};
  index_t first = 0;
  int heads = 1;
  double base = 10000;
  rotary_pairs pairs = rotary_pairs::halves;
  bool back = false;  // by the negative angles: the inverse, and the gradient
};

namespace detail {

/// y = the rotated x, or y += it: one head of one row.
template <bool Add, class T>
void rotate_head(const T* x, const T* cosine, const T* sine, index_t half, rotary_pairs pairs, T turn, T* y) {
  if (pairs == rotary_pairs::neighbours) {
    for (index_t i = 0; i < half; ++i) {
      const T a = x[2 * i], b = x[2 * i + 1], s = turn * sine[i];
      y[2 * i] = (Add ? y[2 * i] : T(0)) + (a * cosine[i] - b * s);
      y[2 * i + 1] = (Add ? y[2 * i + 1] : T(0)) + (b * cosine[i] + a * s);
    }
    return;
  }
  const simd::batch<T> sign(turn);
  for_each_batch<T>(
      half, [&](index_t i, index_t count) __attribute__((always_inline)) {
        const auto a = simd::load_some(x + i, count), b = simd::load_some(x + half + i, count),
                   c = simd::load_some(cosine + i, count), s = sign * simd::load_some(sine + i, count);
        auto low = simd::fma(a, c, -(b * s)), high = simd::fma(b, c, a * s);
        if constexpr (Add) {
          low = low + simd::load_some(y + i, count);
          high = high + simd::load_some(y + half + i, count);
        }
        simd::store_some(y + i, low, count);
        simd::store_some(y + half + i, high, count);
      });
}

}  // namespace detail

/// Turns the i-th pair of columns of each head by the angle position * base^(-2i / K):
/// (a, b) -> (a cos - b sin, b cos + a sin). The product of a rotated query and a rotated key depends on the
/// distance of their positions only.
/// Shapes:   x, y [N, H K], K even; y is set, or added to if `add`
/// Requires: shapes that fit (checked); y does not overlap x
/// Gradient: the rotation back of dy
/// Cost:     6 flops an element, and K sines and cosines for each position of the longest sequence
/// Source:   Su et al. 2021 (RoFormer), eq. 34
template <class T>
void rotate(cpu_backend& backend, const rotation& r, matrix_view<const T> x, matrix_view<T> y,
            bool add = false) {
  if (r.heads < 1 || x.width % (2 * r.heads) || y.width != x.width || y.rows != x.rows ||
      r.rows.rows() != x.rows)
    fail("rotary: x [", x.rows, ", ", x.width, "], y [", y.rows, ", ", y.width, "], ", r.rows.rows(),
         " rows and ", r.heads, " heads do not fit together; heads need an even width");
  index_t longest = 0;
  for (index_t b = 0; b < r.rows.count; ++b) longest = std::max(longest, r.rows.length(b));
  const index_t width = x.width / r.heads, half = width / 2;
  T* const table = backend.scratch<T>(slot_columns, longest * width);  // cosines and sines of each position
  backend.team().run(longest, [&](index_t p) {
    for (index_t i = 0; i < half; ++i) {
      const double angle = double(r.first + p) * std::pow(r.base, -2.0 * double(i) / double(width));
      table[p * width + i] = T(std::cos(angle));
      table[p * width + half + i] = T(std::sin(angle));
    }
  });
  backend.team().run(r.rows.count, [&](index_t b) {
    for (index_t row = r.rows.begin(b); row < r.rows.begin(b + 1); ++row) {
      const T* const cosine = table + (row - r.rows.begin(b)) * width;
      for (int h = 0; h < r.heads; ++h) {
        const T* const from = x.row(row) + h * width;
        T* const to = y.row(row) + h * width;
        if (add)
          detail::rotate_head<true>(from, cosine, cosine + half, half, r.pairs, T(r.back ? -1 : 1), to);
        else
          detail::rotate_head<false>(from, cosine, cosine + half, half, r.pairs, T(r.back ? -1 : 1), to);
      }
    }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
