#pragma once
#include <formwork/core/simd.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Operands of a product that is too small to be worth packing: c = a b, all three read and written in place.
/// Element (r, k) of a is a[r * a_row + k * a_step], so either order of storage will do.
template <class T>
struct small_product_arguments {
  const T* a;
  index_t a_row, a_step;
  const T* b;  // [depth, columns], rows b_row apart
  index_t b_row;
  T* c;  // [rows, columns], rows c_row apart
  index_t c_row;
  index_t rows, columns, depth;
  bool add = false;          // start the sums from c instead of from zero
  bool staircase = false;    // row r has depth + r terms instead of depth (a causal mask)
  const T* scale = nullptr;  // [rows]: factor of each finished row
};

namespace detail {

template <class T>
inline constexpr index_t small_product_rows = simd::width<T>* index_t(sizeof(T)) == 64 ? 8 : 4;

/// The last of a tile's row, in registers: scaled and written to c.
template <bool Two, class T>
[[gnu::always_inline]] inline void store_product_row(const small_product_arguments<T>& p, index_t row,
                                                     index_t tail, const simd::batch<T>& low,
                                                     const simd::batch<T>& high) {
  T* const c = p.c + row * p.c_row;
  const simd::batch<T> factor(p.scale ? p.scale[row] : T(1));
  if constexpr (Two) {
    simd::store(c, low * factor);
    simd::store_some(c + simd::width<T>, high * factor, tail);
  } else {
    simd::store_some(c, low * factor, tail);
  }
}

/// One tile of at most two batches of columns. Each element is one chain of fused multiply-adds in the order
/// of k, whatever the shape of the tile: the bits of a row do not depend on which rows are computed with it.
template <class T, bool Two, bool Staircase, std::size_t... R>
void small_product_tile(const small_product_arguments<T>& p) {
  using batch = simd::batch<T>;
  constexpr index_t W = simd::width<T>;
  constexpr std::size_t rows = sizeof...(R);
  const index_t tail = Two ? p.columns - W : p.columns;
  batch low[rows], high[rows], x, b0, b1;
  // Everything below is unrolled by hand, so to speak: an accumulator that a compiler leaves in memory costs
  // half the speed, and at -O2 neither unrolls loops over arrays nor inlines every lambda by itself.
  const auto load = [&](const T* from, batch& u, batch& v) __attribute__((always_inline)) {
    u = Two ? simd::load(from) : simd::load_some(from, tail);
    if constexpr (Two) v = simd::load_some(from + W, tail);
  };
  if (p.add)
    (load(p.c + index_t(R) * p.c_row, low[R], high[R]), ...);
  else
    ((low[R] = high[R] = batch(T(0))), ...);
  const T* a = p.a;
  const T* b = p.b;
  const auto step = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row>)
      __attribute__((always_inline)) {
    x = batch(a[index_t(Row) * p.a_row]);
    low[Row] = simd::fma(x, b0, low[Row]);
    if constexpr (Two) high[Row] = simd::fma(x, b1, high[Row]);
  };
  for (index_t k = p.depth; k > 0; --k, a += p.a_step, b += p.b_row) {
    load(b, b0, b1);
    (step(std::integral_constant<std::size_t, R>{}), ...);
  }
  if constexpr (Staircase && rows > 1) {
    const auto stair = [&]<std::size_t Stair>(std::integral_constant<std::size_t, Stair>)
        __attribute__((always_inline)) {
      if constexpr (Stair + 1 < rows) {
        load(b, b0, b1);
        const auto above = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row> row)
            __attribute__((always_inline)) {
          if constexpr (Row > Stair) step(row);
        };
        (above(std::integral_constant<std::size_t, R>{}), ...);
        a += p.a_step;
        b += p.b_row;
      }
    };
    (stair(std::integral_constant<std::size_t, R>{}), ...);
  }
  (store_product_row<Two>(p, index_t(R), tail, low[R], high[R]), ...);
}

/// The tile kernel for each number of rows, 1 to small_product_rows; entry 0 is empty.
template <class T, bool Two, bool Staircase>
inline constexpr auto small_product_tiles = []<std::size_t... N>(std::index_sequence<N...>) {
  using function = void (*)(const small_product_arguments<T>&);
  constexpr auto tile = []<std::size_t... R>(std::index_sequence<R...>)->function {
    return &small_product_tile<T, Two, Staircase, R...>;
  };
  return std::array<function, sizeof...(N) + 1>{nullptr, tile(std::make_index_sequence<N + 1>{})...};
}
(std::make_index_sequence<std::size_t(small_product_rows<T>)>{});

}  // namespace detail

/// c = a b or c += a b for operands that fit in the cache, on the calling thread.
/// Requires: c overlaps neither a nor b (unchecked)
/// Cost:     2 rows columns depth flops; a copy-free 70 to 90 % of the peak for 16 columns and more
template <class T>
void small_product(const small_product_arguments<T>& p) {
  constexpr index_t W = simd::width<T>, most = detail::small_product_rows<T>;
  const index_t tiles = (p.rows + most - 1) / most;
  for (index_t j = 0; j < p.columns; j += 2 * W) {
    const index_t columns = std::min(2 * W, p.columns - j);
    for (index_t t = 0; t < tiles; ++t) {
      const index_t first = p.rows * t / tiles, rows = p.rows * (t + 1) / tiles - first;
      small_product_arguments<T> tile = p;
      tile.a = p.a + first * p.a_row;
      tile.b = p.b + j;
      tile.c = p.c + first * p.c_row + j;
      tile.rows = rows;
      tile.columns = columns;
      if (p.staircase) tile.depth = p.depth + first;
      if (p.scale) tile.scale = p.scale + first;
      const auto index = std::size_t(rows);
      if (p.staircase)
        (columns > W ? detail::small_product_tiles<T, true, true>
                     : detail::small_product_tiles<T, false, true>)[index](tile);
      else
        (columns > W ? detail::small_product_tiles<T, true, false>
                     : detail::small_product_tiles<T, false, false>)[index](tile);
    }
  }
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
