#pragma once
#include <formwork/core/function_ref.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/kernels/cpu/gemm_pack.hpp>
#include <formwork/kernels/cpu/gemm_plan.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <type_traits>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Called once for each finished block of C, by the thread that computed it, while it is in cache: the row
/// and column of its first element and the block inside C. Blocks cover C exactly once; the first column of
/// each is a multiple of 32, and each is at least min(n, 128) columns wide. Calls may come from several
/// threads at once.
template <class T>
using block_function = function_ref<void(index_t row, index_t column, matrix_view<T> block)>;

namespace detail {

/// One product in progress: the plan, the operands and the scratch memory.
template <class T>
class gemm_job {
 public:
  using sizes = gemm_sizes<T>;

  gemm_job(cpu_backend& backend, index_t k, operand<T> a, operand<T> b, matrix_view<T> c, bool add,
           block_function<T> epilogue)
      : backend_(backend),
        k_(k),
        a_(a),
        b_(b),
        c_(c),
        add_(add),
        epilogue_(epilogue),
        near_(!b.transposed && b.stride * index_t(sizeof(T)) <= near_bytes) {
    if (k > 0)
      plan_ = plan_gemm<T>(c.rows, c.width, k, a.transposed, backend.threads());
    else
      plan_.split = true;  // the sum of no segments
    if (plan_.split && near_) plan_.shared = false;
    if (plan_.split) partial_ = backend.scratch<T>(slot_gemm_split, plan_.segments * c.rows * c.width);
    if (plan_.shared)
      packed_ = backend.scratch<T>(slot_gemm_pack, plan_.segments_at_once * plan_.segment * widest_group());
    backend.reserve_members<T>(slot_gemm_pack, member_size);
  }

  void run() {
    for (index_t block = 0; block < plan_.blocks; block += plan_.blocks_at_once) {
      for (index_t segment = 0; segment < plan_.segments; segment += plan_.segments_at_once) {
        const range blocks{block, (std::min)(plan_.blocks, block + plan_.blocks_at_once)};
        const range segments{segment, (std::min)(plan_.segments, segment + plan_.segments_at_once)};
        if (plan_.shared) pack_group(segments, blocks);
        const index_t chunks = plan_.chunks, width = blocks.last - blocks.first;
        backend_.team().run((segments.last - segments.first) * chunks * width, [&](index_t task, int member) {
          compute(segments, blocks, segments.first + task / (chunks * width), blocks.first + task % width,
                  task / width % chunks, member);
        });
      }
    }
    if (plan_.split) finish();
  }

 private:
  struct range {
    index_t first, last;
  };

  static constexpr index_t chunk_size = sizes::tiles * gemm_tile_layout<T, true>::size;
  static constexpr index_t near_bytes = 2048;   // rows no further apart do not evict each other
  static constexpr index_t panels_at_once = 4;  // panels of one packing task

  static constexpr index_t member_size = chunk_size + sizes::depth * sizes::panel;

  T* member_memory(int member) { return backend_.member_scratch<T>(member, slot_gemm_pack, member_size); }

  index_t group_columns(range blocks) const {
    return round_up(plan_.column(blocks.last) - plan_.column(blocks.first), sizes::panel);
  }
  index_t widest_group() const {
    return (std::min)(plan_.blocks_at_once * sizes::unit * sizes::units, round_up(c_.width, sizes::unit));
  }

  /// Where the packed panels of one step start: steps follow one another, and within a step its panels.
  T* packed_step(range segments, range blocks, index_t k) const {
    return packed_ + (k - segments.first * plan_.segment) * group_columns(blocks);
  }

  void pack_group(range segments, range blocks) {
    const index_t first = plan_.column(blocks.first), last = plan_.column(blocks.last);
    const index_t k_first = segments.first * plan_.segment,
                  k_last = (std::min)(k_, segments.last * plan_.segment);
    const index_t steps = ceil_div(k_last - k_first, plan_.depth), width = panels_at_once * sizes::panel;
    const index_t parts = ceil_div(last - first, width);
    backend_.team().run(steps * parts, [&](index_t task) {
      const index_t k = k_first + task / parts * plan_.depth, depth = (std::min)(plan_.depth, k_last - k);
      const index_t begin = first + task % parts * width, end = (std::min)(last, begin + width);
      T* out = packed_step(segments, blocks, k);
      for (index_t j = begin; j < end; j += sizes::panel)
        pack_panel(b_, k, depth, j, (std::min)(sizes::panel, end - j), out + (j - first) * depth);
    });
  }

  /// One chunk of rows of A times one block of columns of B.
  struct part {
    index_t row, rows, tiles, column, columns;
    matrix_view<T> target;  // the block of C or of a partial sum
    T* chunk;               // packed rows of A

    index_t begin(index_t tile) const { return tile_begin(rows, tiles, tile); }
    index_t height(index_t tile) const { return begin(tile + 1) - begin(tile); }
  };

  void compute(range segments, range blocks, index_t segment, index_t block, index_t chunk, int member) {
    part p;
    p.row = plan_.row(chunk);
    p.rows = plan_.row(chunk + 1) - p.row;
    p.tiles = ceil_div(p.rows, sizes::rows);
    p.column = plan_.column(block);
    p.columns = plan_.column(block + 1) - p.column;
    p.chunk = member_memory(member);
    const matrix_view<T> whole =
        plan_.split ? matrix_view<T>(partial_ + segment * c_.rows * c_.width, c_.rows, c_.width) : c_;
    p.target = whole.slice(p.row, p.rows).columns(p.column, p.columns);
    const index_t first = segment * plan_.segment, last = (std::min)(k_, first + plan_.segment);
    for (index_t k = first; k < last; k += plan_.depth) {
      const index_t depth = (std::min)(plan_.depth, last - k);
      const bool add = k > first || (!plan_.split && (add_ || k > 0));
      const bool finished = !plan_.split && k + depth == k_ && epilogue_;
      pack_chunk(a_, p.row, p.rows, p.tiles, k, depth, p.chunk);
      if (plan_.shared) {
        const T* panels = packed_step(segments, blocks, k) + (p.column - plan_.column(blocks.first)) * depth;
        multiply_shared(p, panels, depth, add, finished);
      } else {
        multiply_alone(p, k, depth, add, finished);
      }
    }
  }

  /// Each tile of rows goes through all panels, so that its rows of C are finished together.
  void multiply_shared(const part& p, const T* panels, index_t depth, bool add, bool finished) {
    for (index_t tile = 0; tile < p.tiles; ++tile) {
      for (index_t j = 0; j < p.columns; j += sizes::panel)
        multiply(p, tile, j, panels + j * depth, sizes::panel, depth, add);
      if (finished) finish_tile(p, tile);
    }
  }

  /// Each panel of B is packed, or read in place if it is used once only or its rows are near, and goes
  /// through all tiles of rows.
  void multiply_alone(const part& p, index_t k, index_t depth, bool add, bool finished) {
    T* const memory = p.chunk + chunk_size;
    for (index_t j = 0; j < p.columns; j += sizes::panel) {
      const index_t width = (std::min)(sizes::panel, p.columns - j);
      const bool in_place = !b_.transposed && (p.tiles == 1 || near_) && width == sizes::panel;
      if (!in_place) pack_panel(b_, k, depth, p.column + j, width, memory);
      const T* const panel = in_place ? b_.data + k * b_.stride + p.column + j : memory;
      for (index_t tile = 0; tile < p.tiles; ++tile)
        multiply(p, tile, j, panel, in_place ? b_.stride : sizes::panel, depth, add);
    }
    for (index_t tile = 0; finished && tile < p.tiles; ++tile) finish_tile(p, tile);
  }

  void multiply(const part& p, index_t tile, index_t j, const T* panel, index_t panel_step, index_t depth,
                bool add) {
    const auto kernel = a_.transposed ? gemm_tiles<T, true>[std::size_t(p.height(tile))]
                                      : gemm_tiles<T, false>[std::size_t(p.height(tile))];
    const index_t size = a_.transposed ? gemm_tile_layout<T, true>::size : gemm_tile_layout<T, false>::size;
    kernel(p.chunk + tile * size, panel, panel_step, depth, p.target.row(p.begin(tile)) + j, p.target.stride,
           (std::min)(sizes::panel, p.columns - j), add);
  }

  void finish_tile(const part& p, index_t tile) {
    epilogue_(p.row + p.begin(tile), p.column, p.target.slice(p.begin(tile), p.height(tile)));
  }

  /// C = [C +] the partial sums, in the order of the segments.
  void finish() {
    constexpr index_t rows_at_once = 8;
    backend_.team().run(ceil_div(c_.rows, rows_at_once), [&](index_t task) {
      const index_t first = task * rows_at_once, last = (std::min)(c_.rows, first + rows_at_once);
      for (index_t r = first; r < last; ++r) finish_row(r);
      if (epilogue_) epilogue_(first, 0, c_.slice(first, last - first));
    });
  }

  void finish_row(index_t r) {
    T* const to = c_.row(r);
    const T* const from = partial_ + r * c_.width;
    const index_t segment_size = c_.rows * c_.width;
    if (!add_) std::fill_n(to, c_.width, T(0));
    index_t j = 0;
    for (; j + sizes::lanes <= c_.width; j += sizes::lanes) {
      simd::batch<T> sum = simd::load(to + j);
      for (index_t s = 0; s < plan_.segments; ++s) sum = sum + simd::load(from + s * segment_size + j);
      simd::store(to + j, sum);
    }
    for (; j < c_.width; ++j)
      for (index_t s = 0; s < plan_.segments; ++s) to[j] += from[s * segment_size + j];
  }

  cpu_backend& backend_;
  gemm_plan plan_;
  index_t k_;
  operand<T> a_, b_;
  matrix_view<T> c_;
  bool add_;
  block_function<T> epilogue_;
  bool near_;
  T* packed_ = nullptr;
  T* partial_ = nullptr;
};

}  // namespace detail

/// C = A B, or C += A B with `add`; `epilogue`, if any, is called for every finished block of C.
///
/// Shapes: A [m, k], B [k, n], C [m, n]; any of them may be 0, and k = 0 gives C = 0 (or C unchanged).
/// Requires: strides at least as wide as the stored rows (checked); C overlaps neither A nor B.
///
/// Order: without a transposed A, an element is a sum over k in steps that depend on k only, so a row of a
/// product has the same bits whatever m, n and the other rows are. With a transposed A the steps depend on
/// (m, n, k). Nothing depends on the number of threads.
///
/// Gradient: dA = dC B^T, dB = A^T dC.
///
/// Cost: 2 m n k flops. Scratch, allocated at the first call of a shape: at most about 8 MiB of packed B, the
/// partial sums of a split (at most 16 times C), 0.4 MiB a thread.
///
/// Source: K. Goto, R. van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008).
template <class T>
void gemm(cpu_backend& backend, index_t k, std::type_identity_t<operand<T>> a,
          std::type_identity_t<operand<T>> b, matrix_view<T> c, bool add = false,
          std::type_identity_t<block_function<T>> epilogue = {}) {
  if (k < 0) fail("gemm: inner dimension ", k, ", expected at least 0");
  const index_t a_width = a.transposed ? c.rows : k, b_width = b.transposed ? k : c.width;
  if (a.stride < a_width) fail("gemm: rows of A are ", a_width, " wide, but its stride is ", a.stride);
  if (b.stride < b_width) fail("gemm: rows of B are ", b_width, " wide, but its stride is ", b.stride);
  if (c.stride < c.width) fail("gemm: rows of C are ", c.width, " wide, but its stride is ", c.stride);
  if (c.rows > 0 && c.width > 0) detail::gemm_job<T>(backend, k, a, b, c, add, epilogue).run();
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
