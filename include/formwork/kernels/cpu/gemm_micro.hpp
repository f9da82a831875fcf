#pragma once
#include <formwork/core/simd.hpp>

#include <array>
#include <utility>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Block sizes of the matrix product for element type T. The tile (rows x panel) fills the vector registers;
/// one tile row of A (rows x depth) stays in the first-level cache, one chunk of A, block of B and block of C
/// in the second.
template <class T>
struct gemm_sizes {
  static constexpr index_t lanes = simd::width<T>;
  static constexpr index_t panel = 2 * lanes;  ///< columns of a tile
  static constexpr index_t rows =
      lanes * sizeof(T) == 64 ? 14 : 6;                        ///< 28 of 32 or 12 of 16 registers accumulate
  static constexpr index_t depth = 1280 / index_t(sizeof(T));  ///< longest inner block
  static constexpr index_t tiles = lanes * sizeof(T) == 64 ? 10 : 23;  ///< most tiles of one chunk of rows
  static constexpr index_t unit = 32;   ///< column blocks start at multiples of it
  static constexpr index_t units = 16;  ///< most units of one column block
};

/// How a packed tile of A lies in memory: element (row, k) is at row * row_step + k * k_step.
/// Storage that runs along k is copied as rows; storage that runs along the rows (A transposed) is
/// interleaved, so that both are packed by plain copies.
template <class T, bool Interleaved>
struct gemm_tile_layout {
  static constexpr index_t lanes = gemm_sizes<T>::lanes;
  static constexpr index_t span = (gemm_sizes<T>::rows + lanes - 1) / lanes * lanes;  ///< whole vectors
  static constexpr index_t row_step = Interleaved ? 1 : gemm_sizes<T>::depth;
  static constexpr index_t k_step = Interleaved ? span : 1;
  static constexpr index_t size = (Interleaved ? span : gemm_sizes<T>::rows) * gemm_sizes<T>::depth;
};

/// One tile of C: element (r, j) = [its old value +] the sum over k in ascending order of A[r, k] B[k, j],
/// one fused multiply-add a step, starting from zero. That order is the same for every tile shape.
///
/// Shapes: packed tile a [rows, k], b [k, panel] with rows b_step apart, c [rows, columns <= panel]. The rows
/// are 0 ... sizeof...(R) - 1, spelt out so that every accumulator is a variable of its own.
template <class T, bool Interleaved, std::size_t... R>
void gemm_tile(const T* a, const T* b, index_t b_step, index_t k, T* c, index_t c_stride, index_t columns,
               bool add) {
  using batch = simd::batch<T>;
  using layout = gemm_tile_layout<T, Interleaved>;
  constexpr index_t lanes = gemm_sizes<T>::lanes, panel = gemm_sizes<T>::panel, rows = index_t(sizeof...(R));
  constexpr index_t ahead = 16;  // rows of B fetched early: panels stream from the second-level cache
  batch low[sizeof...(R)], high[sizeof...(R)], x;
  ((low[R] = batch(T(0)), high[R] = batch(T(0))), ...);
  (__builtin_prefetch(c + index_t(R) * c_stride, 1), ...);
  for (; k > 0; --k, a += layout::k_step, b += b_step) {
    __builtin_prefetch(b + ahead * b_step);
    __builtin_prefetch(b + ahead * b_step + lanes);
    const batch b0 = simd::load(b), b1 = simd::load(b + lanes);
    ((x = batch(a[index_t(R) * layout::row_step]), low[R] = simd::fma(x, b0, low[R]),
      high[R] = simd::fma(x, b1, high[R])),
     ...);
  }
  if (columns == panel) {
    if (add) {
      ((low[R] = batch(low[R] + simd::load(c + index_t(R) * c_stride)),
        high[R] = batch(high[R] + simd::load(c + index_t(R) * c_stride + lanes))),
       ...);
    }
    ((simd::store(c + index_t(R) * c_stride, low[R]),
      simd::store(c + index_t(R) * c_stride + lanes, high[R])),
     ...);
  } else {
    T part[sizeof...(R) * panel];
    ((simd::store(part + index_t(R) * panel, low[R]),
      simd::store(part + index_t(R) * panel + lanes, high[R])),
     ...);
    for (index_t r = 0; r < rows; ++r)
      for (index_t j = 0; j < columns; ++j)
        c[r * c_stride + j] = add ? part[r * panel + j] + c[r * c_stride + j] : part[r * panel + j];
  }
}

/// A kernel for one number of rows: the arguments of gemm_tile.
template <class T>
using gemm_tile_function = void (*)(const T*, const T*, index_t, index_t, T*, index_t, index_t, bool);

/// The kernel for each number of rows, 1 to gemm_sizes<T>::rows; entry 0 is empty.
template <class T, bool Interleaved>
inline constexpr auto gemm_tiles = []<std::size_t... N>(std::index_sequence<N...>) {
  constexpr auto tile = []<std::size_t... R>(std::index_sequence<R...>)->gemm_tile_function<T> {
    return &gemm_tile<T, Interleaved, R...>;
  };
  return std::array<gemm_tile_function<T>, sizeof...(N) + 1>{nullptr,
                                                             tile(std::make_index_sequence<N + 1>{})...};
}
(std::make_index_sequence<std::size_t(gemm_sizes<T>::rows)>{});

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
