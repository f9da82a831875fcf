#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/core/simd.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>

namespace formwork {

/// Where and how strongly to drop. The mask is a pure function of (seed, step, site, row, column): backward
/// draws it again instead of reading it, and the number of threads cannot change it.
///
/// Element (row, column) uses the Philox block of counter {column / 8, row, site, step} under the key `seed`:
/// half column % 8 of its eight 16-bit halves, word (column % 8) / 2, the low half first. It is kept if half
/// >= threshold(), and then scaled by 65536 / (65536 - threshold()), so that the expectation stays exact.
/// Source: Srivastava et al. 2014, section 4 (mask), scaled while training instead of while testing.
struct dropout_site {
  double rate = 0;  ///< probability of a zero, in [0, 1); rounded to a multiple of 2^-16
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
  std::uint32_t site = 0;  ///< number of the place in the model, so that no two places share a mask

  /// Requires: rate in [0, 1) (checked).
  std::uint32_t threshold() const {
    const double scaled = rate * 65536 + 0.5;
    if (!(rate >= 0 && scaled < 65536)) fail("dropout: rate ", rate, " found, expected a number in [0, 1)");
    return std::uint32_t(scaled);
  }
  double scale() const { return 65536.0 / (65536.0 - threshold()); }
  bool off() const { return threshold() == 0; }
};

}  // namespace formwork

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
namespace detail {

/// Decisions for 64 * Words columns of one row from column 8 * first_block on: bit i of bits[w] is set when
/// column 64 w + i of them is kept.
#if defined(__AVX512BW__) && !defined(__CUDACC__)
template <int Words>
[[gnu::always_inline]] inline void dropout_bits(std::uint64_t* bits, const dropout_site& site,
                                                std::uint32_t threshold, index_t row, index_t first_block) {
  // Eight blocks a word in the low halves of 64-bit elements;
  // whatever the high halves hold never reaches a product.
  const auto all = [](std::uint32_t v) { return _mm512_set1_epi64(v); };
  __m512i c0[Words], c1[Words], c2[Words], c3[Words];
  for (int w = 0; w < Words; ++w) {
    c0[w] =
        _mm512_add_epi32(all(std::uint32_t(first_block + 8 * w)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    c1[w] = all(std::uint32_t(row)), c2[w] = all(site.site), c3[w] = all(site.step);
  }
  __m512i k0 = all(std::uint32_t(site.seed)), k1 = all(std::uint32_t(site.seed >> 32));
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    for (int w = 0; w < Words; ++w) {
      const __m512i p0 = _mm512_mul_epu32(all(0xD2511F53), c0[w]),
                    p1 = _mm512_mul_epu32(all(0xCD9E8D57), c2[w]);
      c0[w] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c1[w], k0, 0x96);
      c2[w] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c3[w], k1, 0x96);
      c1[w] = p1;
      c3[w] = p0;
    }
    k0 = _mm512_add_epi32(k0, all(0x9E3779B9));
    k1 = _mm512_add_epi32(k1, all(0xBB67AE85));
  }
  const __m512i front = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i back = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  const __m512i limit = _mm512_set1_epi16(short(threshold));
  for (int w = 0; w < Words; ++w) {
    const __m512i low = _mm512_mask_shuffle_epi32(c0[w], 0xAAAA, c1[w], _MM_PERM_CCAA);
    const __m512i high = _mm512_mask_shuffle_epi32(c2[w], 0xAAAA, c3[w], _MM_PERM_CCAA);
    const std::uint64_t first = _mm512_cmpge_epu16_mask(_mm512_permutex2var_epi64(low, front, high), limit);
    const std::uint64_t second = _mm512_cmpge_epu16_mask(_mm512_permutex2var_epi64(low, back, high), limit);
    bits[w] = second << 32 | first;
  }
}
#else
template <int Words>
[[gnu::always_inline]] inline void dropout_bits(std::uint64_t* bits, const dropout_site& site,
                                                std::uint32_t threshold, index_t row, index_t first_block) {
  // Loops over all blocks that a compiler turns into vector code.
  constexpr int blocks = 8 * Words;
  std::uint64_t c0[blocks], c1[blocks], c2[blocks], c3[blocks];
  for (int i = 0; i < blocks; ++i) {
    c0[i] = std::uint32_t(first_block + i), c1[i] = std::uint32_t(row), c2[i] = site.site, c3[i] = site.step;
  }
  std::uint64_t k0 = std::uint32_t(site.seed), k1 = site.seed >> 32;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < blocks; ++i) {
      const std::uint64_t p0 = (c0[i] & 0xFFFFFFFF) * 0xD2511F53u, p1 = (c2[i] & 0xFFFFFFFF) * 0xCD9E8D57u;
      c0[i] = (p1 >> 32) ^ c1[i] ^ k0;
      c2[i] = (p0 >> 32) ^ c3[i] ^ k1;
      c1[i] = p1;
      c3[i] = p0;
    }
    k0 = std::uint32_t(k0 + 0x9E3779B9);
    k1 = std::uint32_t(k1 + 0xBB67AE85);
  }
  for (int w = 0; w < Words; ++w) bits[w] = 0;
  for (int i = 0; i < blocks; ++i) {
    const std::uint64_t words[4] = {c0[i], c1[i], c2[i], c3[i]};
    std::uint64_t byte = 0;
    for (int h = 0; h < 8; ++h)
      byte |= std::uint64_t((words[h / 2] >> (h % 2 * 16) & 0xFFFF) >= threshold) << h;
    bits[i / 8] |= byte << (i % 8 * 8);
  }
}
#endif

/// Calls f(offset, count, bits) for every batch of a row; bit i tells whether element offset + i is kept.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_dropout_batch(index_t row, index_t first_column, index_t n,
                                                          const dropout_site& site, F f) {
  constexpr index_t W = simd::width<T>;
  static_assert(64 % W == 0);
  const std::uint32_t threshold = site.threshold();
  const auto word = [&](index_t c, std::uint64_t bits) __attribute__((always_inline)) {
    const index_t end = std::min(n, c + 64);
    if (c + 64 <= n) {
      for (index_t i = c; i < c + 64; i += W) f(i, W, bits >> (i - c));
    } else {
      for (index_t i = c; i < end; i += W) f(i, std::min(W, end - i), bits >> (i - c));
    }
  };
  std::uint64_t bits[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  for (index_t c = 0; c < n; c += 128) {
    const index_t block = (first_column + c) / 8;
    if (threshold && n - c > 64)
      dropout_bits<2>(bits, site, threshold, row, block);
    else if (threshold)
      dropout_bits<1>(bits, site, threshold, row, block);
    word(c, bits[0]);
    if (n - c > 64) word(c + 64, bits[1]);
  }
}

}  // namespace detail

/// y = dropout(x) for columns [first_column, first_column + n) of one row; x and y point at the first.
/// Requires: first_column a multiple of 8 (unchecked); y may be x
/// Gradient: dx = dropout(dy) with the same site
/// Cost:     about 0.1 ns an element with AVX-512.   Determinism: bitwise on every instruction set
template <class T>
void dropout_row(T* y, const T* x, index_t row, index_t first_column, index_t n, const dropout_site& site) {
  const simd::batch<T> scale(T(site.scale()));
  detail::for_each_dropout_batch<T>(
      row, first_column, n,
      site, [&](index_t i, index_t count, std::uint64_t bits) __attribute__((always_inline)) {
        simd::store_some(y + i, simd::keep(bits, simd::load_some(x + i, count) * scale), count);
      });
}

/// y = residual + dropout(x), the tail of a residual branch; y may be x or residual. Product and sum are
/// rounded once where the instruction set can.
template <class T>
void dropout_row_add(T* y, const T* x, const T* residual, index_t row, index_t first_column, index_t n,
                     const dropout_site& site) {
  const simd::batch<T> scale(T(site.scale()));
  detail::for_each_dropout_batch<T>(
      row, first_column, n,
      site, [&](index_t i, index_t count, std::uint64_t bits) __attribute__((always_inline)) {
        const simd::batch<T> kept = simd::keep(bits, simd::load_some(x + i, count));
        simd::store_some(y + i, simd::fma(kept, scale, simd::load_some(residual + i, count)), count);
      });
}

/// y = dropout(x), or y += dropout(x) if `add`, for a whole matrix. Row r of the view is row r of the mask.
/// Shapes:   x, y [rows, D]
/// Requires: equal shapes (checked); y may be x
template <class T>
void dropout(cpu_backend& backend, matrix_view<const T> x, matrix_view<T> y, const dropout_site& site,
             bool add = false) {
  if (x.rows != y.rows || x.width != y.width)
    fail("dropout: x is [", x.rows, ", ", x.width, "], y is [", y.rows, ", ", y.width, "]");
  site.threshold();  // refuses a wrong rate even when there are no rows
  const index_t chunk = std::max<index_t>(1, 16384 / std::max<index_t>(1, x.width));
  backend.team().run((x.rows + chunk - 1) / chunk, [&](index_t task) {
    for (index_t r = task * chunk; r < std::min(x.rows, (task + 1) * chunk); ++r) {
      if (add)
        dropout_row_add(y.row(r), x.row(r), y.row(r), r, 0, x.width, site);
      else
        dropout_row(y.row(r), x.row(r), r, 0, x.width, site);
    }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
