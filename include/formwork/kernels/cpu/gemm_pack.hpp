#pragma once
#include <formwork/kernels/cpu/gemm_micro.hpp>

#include <algorithm>
#include <cstring>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// One matrix of a product, in row-major storage: element (r, c) of the matrix is data[r * stride + c], or
/// data[c * stride + r] when the storage holds the transpose.
template <class T>
struct operand {
  const T* data;
  index_t stride;
  bool transposed = false;
};

namespace detail {

/// The perfect shuffle of the elements of a square of vectors: row 2i becomes the first half of rows i and i
/// + n/2 dealt in turn, row 2i + 1 the second half. Doubling as often as n has bits transposes the square.
template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void shuffle_square(Vector (&v)[sizeof...(Lane)],
                                                  std::index_sequence<Lane...>) {
  constexpr std::size_t n = sizeof...(Lane), half = n / 2;
  Vector w[n];
  const auto deal = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row>) {
    constexpr std::size_t first = Row % 2 * half;
    w[Row] = __builtin_shufflevector(v[Row / 2], v[Row / 2 + half], int(first + Lane / 2 + Lane % 2 * n)...);
  };
  (deal(std::integral_constant<std::size_t, Lane>{}), ...);
  ((v[Lane] = w[Lane]), ...);
}

}  // namespace detail

/// Transposes a square as wide as a vector: out[j * out_stride + i] = in[i * in_stride + j].
template <class T>
void transpose_square(const T* in, index_t in_stride, T* out, index_t out_stride) {
  constexpr std::size_t n = std::size_t(simd::width<T>);
  if constexpr (n == 1) {
    *out = *in;
  } else {
    typedef T vector __attribute__((vector_size(n * sizeof(T))));
    [=]<std::size_t... Lane>(std::index_sequence<Lane...> rows) {
      vector v[n];
      (std::memcpy(&v[Lane], in + index_t(Lane) * in_stride, sizeof(vector)), ...);
      for (std::size_t bits = n; bits > 1; bits /= 2) detail::shuffle_square(v, rows);
      (std::memcpy(out + index_t(Lane) * out_stride, &v[Lane], sizeof(vector)), ...);
    }
    (std::make_index_sequence<n>{});
  }
}

/// out[j * out_stride + i] = in[i * in_stride + j] for any number of rows i and columns j.
template <class T>
void transpose(const T* in, index_t in_stride, index_t rows, index_t columns, T* out, index_t out_stride) {
  constexpr index_t n = simd::width<T>;
  const index_t whole = columns - columns % n;
  for (index_t i = 0; i < rows; i += n) {
    const index_t count = (std::min)(n, rows - i);
    const bool square = count == n;
    if (square)
      for (index_t j = 0; j < whole; j += n)
        transpose_square(in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);
    for (index_t j = square ? whole : 0; j < columns; ++j)
      for (index_t r = i; r < i + count; ++r) out[j * out_stride + r] = in[r * in_stride + j];
  }
}

/// Packs the block of B with rows [row, row + k) and columns [column, column + columns) as one panel [k,
/// panel]; columns behind the last are zero.
template <class T>
void pack_panel(const operand<T>& b, index_t row, index_t k, index_t column, index_t columns, T* out) {
  constexpr index_t panel = gemm_sizes<T>::panel, lanes = gemm_sizes<T>::lanes, ahead = 8;
  if (b.transposed) {
    if (columns < panel) std::fill_n(out, k * panel, T(0));
    transpose(b.data + column * b.stride + row, b.stride, columns, k, out, panel);
    return;
  }
  const T* in = b.data + row * b.stride + column;
  for (index_t i = 0; i < k; ++i, in += b.stride, out += panel) {
    if (i + ahead < k) {
      __builtin_prefetch(in + ahead * b.stride);
      __builtin_prefetch(in + ahead * b.stride + lanes);
    }
    if (columns == panel) {
      simd::store(out, simd::load(in));
      simd::store(out + lanes, simd::load(in + lanes));
    } else {
      for (index_t j = 0; j < panel; ++j) out[j] = j < columns ? in[j] : T(0);
    }
  }
}

/// The first row of tile i when `rows` rows are cut into `tiles` tiles of nearly equal height.
constexpr index_t tile_begin(index_t rows, index_t tiles, index_t i) { return rows * i / tiles; }

namespace detail {

template <class T>
void copy_rows(const operand<T>& a, index_t row, index_t rows, index_t tiles, index_t column, index_t k,
               T* out) {
  using layout = gemm_tile_layout<T, false>;
  for (index_t t = 0; t < tiles; ++t, out += layout::size) {
    const index_t first = tile_begin(rows, tiles, t), last = tile_begin(rows, tiles, t + 1);
    for (index_t r = first; r < last; ++r)
      std::memcpy(out + (r - first) * layout::row_step, a.data + (row + r) * a.stride + column,
                  std::size_t(k) * sizeof(T));
  }
}

template <class T>
void interleave_rows(const operand<T>& a, index_t row, index_t rows, index_t tiles, index_t column, index_t k,
                     T* out) {
  using layout = gemm_tile_layout<T, true>;
  constexpr index_t ahead = 6,
                    line = 64 / index_t(sizeof(T));  // short pieces of far rows: no hardware prefetch
  std::array<index_t, std::size_t(gemm_sizes<T>::tiles) + 1> begin;
  for (index_t t = 0; t <= tiles; ++t) begin[std::size_t(t)] = tile_begin(rows, tiles, t);
  const index_t whole = std::count_if(begin.begin(), begin.begin() + tiles,
                                      [&](index_t first) { return first + layout::span <= rows; });
  for (index_t i = 0; i < k; ++i, out += layout::k_step) {
    const T* const in = a.data + (column + i) * a.stride + row;
    if (i + ahead < k)
      for (index_t r = 0; r < rows; r += line) __builtin_prefetch(in + ahead * a.stride + r);
    for (index_t t = 0; t < whole; ++t)  // what follows the tile in its vectors is never read
      for (index_t r = 0; r < layout::span; r += layout::lanes)
        simd::store(out + t * layout::size + r, simd::load(in + begin[std::size_t(t)] + r));
    for (index_t t = whole; t < tiles; ++t)
      std::copy(in + begin[std::size_t(t)], in + begin[std::size_t(t) + 1], out + t * layout::size);
  }
}

}  // namespace detail

/// Packs the chunk of A with rows [row, row + rows) and columns [column, column + k) as `tiles` tiles, each
/// in the layout of gemm_tile_layout (interleaved when A is transposed).
template <class T>
void pack_chunk(const operand<T>& a, index_t row, index_t rows, index_t tiles, index_t column, index_t k,
                T* out) {
  if (a.transposed)
    detail::interleave_rows(a, row, rows, tiles, column, k, out);
  else
    detail::copy_rows(a, row, rows, tiles, column, k, out);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
