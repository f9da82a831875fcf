#pragma once
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <bit>
#include <limits>
#include <type_traits>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Numbers of one task of the kernels over flat arrays. Sums over arrays are made of the sums of such pieces.
inline constexpr index_t flat_chunk = 16384;

/// y += factor * x for n numbers; each sum is rounded once where the instruction set can.
template <class T>
void add_scaled(cpu_backend& backend, T* y, const T* x, index_t n, double factor = 1) {
  const auto scale = simd::batch<T>(T(factor));
  backend.team().run((n + flat_chunk - 1) / flat_chunk, [&](index_t task) {
    const index_t first = task * flat_chunk;
    for_each_batch<T>(std::min(flat_chunk, n - first), [&](index_t i, index_t count) {
      T* const to = y + first + i;
      simd::store_some(
          to, simd::fma(simd::load_some(x + first + i, count), scale, simd::load_some(to, count)), count);
    });
  });
}

namespace detail {

/// sums[0, N batches) = sums over the rows of N batches of columns from column c on, in registers.
template <int N, class T>
void sum_columns(matrix_view<const T> x, index_t c, index_t count, T* sums) {
  constexpr index_t W = simd::width<T>;
  simd::batch<T> total[N];
  for (int k = 0; k < N; ++k) total[k] = simd::batch<T>(T(0));
  for (index_t r = 0; r < x.rows; ++r)
    for (int k = 0; k < N; ++k) total[k] = total[k] + simd::load_some(x.row(r) + c + k * W, count);
  for (int k = 0; k < N; ++k) simd::store_some(sums + c + k * W, total[k], count);
}

}  // namespace detail

/// sums[c] += sum over the rows of x[., c]: the gradient of a bias.
/// Shapes:   x [rows, D], sums [D]
/// Cost:     one read of x
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void column_sum(cpu_backend& backend, matrix_view<const T> x, T* sums) {
  constexpr index_t W = simd::width<T>;
  const row_chunks chunks(x.rows, 32);
  T* const partial = backend.scratch<T>(slot_reduction, chunks.count() * x.width);
  backend.team().run(chunks.count(), [&](index_t task) {
    const auto rows = x.slice(chunks.begin(task), chunks.end(task) - chunks.begin(task));
    T* const out = partial + task * x.width;
    index_t c = 0;
    for (; c + 8 * W <= x.width; c += 8 * W) detail::sum_columns<8, T>(rows, c, W, out);
    for (; c < x.width; c += W) detail::sum_columns<1, T>(rows, c, std::min(W, x.width - c), out);
  });
  add_partial_sums(backend, sums, partial, chunks.count(), x.width, x.width);
}

/// Sum of the squares of n numbers: a gradient's norm is its root. Not a number if any of them is not.
/// Each piece of `flat_chunk` numbers is summed in T in blocks of 1024, all blocks in double, in order.
template <class T>
double sum_of_squares(cpu_backend& backend, const T* x, index_t n) {
  constexpr index_t block = 1024;
  const index_t tasks = (n + flat_chunk - 1) / flat_chunk;
  double* const partial = backend.scratch<double>(slot_reduction, tasks);
  backend.team().run(tasks, [&](index_t task) {
    double sum = 0;
    const index_t end = std::min(n, (task + 1) * flat_chunk);
    for (index_t first = task * flat_chunk; first < end; first += block) {
      const index_t count = std::min(block, end - first);
      const double squares = double(row_sum<T>(count, [&](index_t i, index_t part) {
        const simd::batch<T> v = simd::load_some(x + first + i, part);
        return v * v;
      }));
      if (squares <= double(std::numeric_limits<T>::max()))
        sum += squares;
      else  // the squares may overflow T where the numbers do not
        for (index_t i = first; i < first + count; ++i) sum += double(x[i]) * double(x[i]);
    }
    partial[task] = sum;
  });
  double total = 0;
  for (index_t t = 0; t < tasks; ++t) total += partial[t];
  return total;
}

/// Index of the first element that is infinite or not a number, -1 if there is none. Looks at the bits of the
/// exponent: a sum could overflow although all its terms are finite.
template <class T>
index_t first_non_finite(cpu_backend& backend, const T* x, index_t n) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr bits exponent = std::bit_cast<bits>(std::numeric_limits<T>::infinity());
  const index_t tasks = (n + flat_chunk - 1) / flat_chunk;
  index_t* const found = backend.scratch<index_t>(slot_reduction, tasks);
  backend.team().run(tasks, [&](index_t task) {
    found[task] = -1;
    const index_t end = std::min(n, (task + 1) * flat_chunk);
    for (index_t first = task * flat_chunk; first < end && found[task] < 0; first += 64) {
      const index_t last = std::min(end, first + 64);
      bits any = 0;  // without a branch per element, so that it becomes vector code
      for (index_t i = first; i < last; ++i) any |= bits((std::bit_cast<bits>(x[i]) & exponent) == exponent);
      for (index_t i = first; any && i < last && found[task] < 0; ++i)
        if ((std::bit_cast<bits>(x[i]) & exponent) == exponent) found[task] = i;
    }
  });
  for (index_t t = 0; t < tasks; ++t)
    if (found[t] >= 0) return found[t];
  return -1;
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
