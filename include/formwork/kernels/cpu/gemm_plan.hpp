#pragma once
#include <formwork/kernels/cpu/gemm_micro.hpp>

#include <algorithm>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// How one product is cut into tasks. A task is one segment of k, one block of columns and one chunk of rows
/// of C; it goes through its segment in steps of `depth`. What decides the order of additions (depth,
/// segment, split) depends on m, n and k only, and without a split on k only; the rest may also depend on the
/// number of threads.
struct gemm_plan {
  index_t m = 0, n = 0;
  index_t depth = 0;       ///< k of one step
  index_t segment = 0;     ///< k of one task, a multiple of depth
  index_t segments = 0;    ///< without a split they follow one another and add to C
  bool split = false;      ///< segments run side by side into buffers of their own, added at the end in order
  index_t blocks = 0;      ///< column blocks
  index_t chunks = 0;      ///< row chunks
  index_t chunk_rows = 0;  ///< rows of each chunk but the last
  bool shared = false;     ///< B is packed once by all threads; otherwise each task packs what it needs
  index_t segments_at_once =
      0;  ///< how much of B is packed at once, so that it stays in the last-level cache
  index_t blocks_at_once = 0;

  /// First column of block i: a multiple of 32.
  constexpr index_t column(index_t i) const { return (std::min)(n, (n + 31) / 32 * i / blocks * 32); }
  /// First row of chunk i.
  constexpr index_t row(index_t i) const { return (std::min)(m, chunk_rows * i); }
};

namespace detail {

constexpr index_t ceil_div(index_t a, index_t b) { return (a + b - 1) / b; }
constexpr index_t round_up(index_t a, index_t b) { return ceil_div(a, b) * b; }

/// Equal steps of at most `longest` that cover k.
constexpr index_t equal_steps(index_t k, index_t longest) {
  return round_up(ceil_div(k, ceil_div(k, longest)), index_t(16));
}

/// Cuts the rows into chunks of at most `rows`, whole tiles each, as few as possible or `wanted` of them.
template <class T>
constexpr void cut_rows(gemm_plan& p, index_t wanted) {
  constexpr index_t tile = gemm_sizes<T>::rows, most = tile * gemm_sizes<T>::tiles;
  p.chunk_rows = round_up(ceil_div(p.m, (std::max)(wanted, ceil_div(p.m, most))), tile);
  p.chunks = ceil_div(p.m, p.chunk_rows);
}

}  // namespace detail

/// The plan for C [m, n] with inner dimension k. Requires: all three positive. `may_split` permits
/// side-by-side segments when C has too few blocks to keep several threads busy.
template <class T>
constexpr gemm_plan plan_gemm(index_t m, index_t n, index_t k, bool may_split, int threads) {
  using sizes = gemm_sizes<T>;
  constexpr index_t tasks = 16, shortest_split = sizes::depth / 3, steps_at_once = 8;
  constexpr index_t packed_at_once = (index_t{8} << 20) / index_t(sizeof(T));
  constexpr index_t least_work = 1 << 18;  // multiply-adds that are worth a task
  gemm_plan p{.m = m, .n = n};
  const index_t units = detail::ceil_div(n, sizes::unit);
  p.blocks = detail::ceil_div(units, sizes::units);
  detail::cut_rows<T>(p, 1);

  const index_t splits = (std::min)(detail::ceil_div(tasks, p.blocks * p.chunks), k / shortest_split);
  p.split = may_split && splits > 1 && detail::ceil_div(k, splits) <= steps_at_once * sizes::depth;
  if (p.split) {
    p.depth = detail::equal_steps(detail::ceil_div(k, splits), sizes::depth);
    p.segment = detail::round_up(detail::ceil_div(k, splits), p.depth);
  } else {
    p.depth = detail::equal_steps(k, sizes::depth);
    p.segment = (std::min)(detail::round_up(k, p.depth), steps_at_once * p.depth);
  }
  p.segments = detail::ceil_div(k, p.segment);

  const index_t side_by_side = p.split ? p.segments : 1;
  const double work = double(m) * double(n) * double(k) / least_work;
  const index_t enough = threads == 1 ? 1 : index_t((std::min)(double(threads) * 8, work));
  const index_t most_blocks = n % sizes::unit == 0 ? units / 4 : units / 5;  // each at least 128 columns wide
  if (p.chunks == 1 && p.blocks * side_by_side < enough)
    p.blocks =
        std::clamp(detail::ceil_div(enough, side_by_side), p.blocks, (std::max)(p.blocks, most_blocks));
  if (p.chunks * p.blocks * side_by_side < enough)
    detail::cut_rows<T>(p,
                        (std::min)(detail::ceil_div(enough, p.blocks * side_by_side), m / (2 * sizes::rows)));
  p.shared = p.chunks > 1;
  const index_t widest = detail::ceil_div(units, p.blocks) * sizes::unit;
  p.segments_at_once = p.split ? std::clamp(packed_at_once / (p.segment * n), index_t(1), p.segments) : 1;
  p.blocks_at_once =
      std::clamp(packed_at_once / (p.segments_at_once * p.segment * widest), index_t(1), p.blocks);
  return p;
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
