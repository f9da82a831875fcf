#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/embedding.hpp>
#include <formwork/kernels/cpu/gemm.hpp>

#include <cmath>

namespace formwork {

/// Who gets the probability that label smoothing takes from the target. Toolkits differ, so do their losses.
enum class smoothing {
  over_vocabulary,  ///< epsilon / V for every entry, the target too: (1 - e) nll + e/V sum over all
  over_others       ///< epsilon / (V - 1) for every other entry: (1 - e) nll + e/(V-1) sum over the others
};

/// Sums over rows; the caller normalises.
struct cross_entropy_sums {
  double loss = 0;    ///< smoothing included, in nats
  double nll = 0;     ///< negative log-likelihood of the targets, in nats
  index_t count = 0;  ///< rows
};

}  // namespace formwork

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// The output projection and the targets: logits = x weight^T + bias, stored for a chunk of rows at a time.
template <class T>
struct cross_entropy_arguments {
  matrix_view<const T> x;            // [N, D]
  matrix_view<const T> weight;       // [V, D]
  const T* bias = nullptr;           // [V], null for none
  const token_t* targets = nullptr;  // [N]
  double epsilon = 0;                // label smoothing, in [0, 1)
  smoothing convention = smoothing::over_vocabulary;
  const random_stream* sample = nullptr;  // number r draws another target for row r from the row's softmax
};

/// Where cross_entropy_gradient writes: dx is overwritten unless `add_dx`, dweight and dbias are added to.
template <class T>
struct cross_entropy_gradients {
  matrix_view<T> dx;  // [N, D]
  bool add_dx = false;
  matrix_view<T> dweight;  // [V, D]
  T* dbias = nullptr;      // [V], null exactly where the bias is
};

namespace detail {

/// Most bytes of logits at a time. Each chunk reads the whole weight matrix, so small chunks cost time.
inline constexpr index_t logits_bytes = index_t{16} << 20;

/// Sums over one row of logits z: with m = max z, sum exp(z - m) and sum (z - m).
template <class T>
struct row_statistics {
  T largest;
  double exponentials = 0, centered = 0;

  double log_sum() const { return std::log(exponentials); }
};

/// Adds the bias to the row (stored), finds its statistics; with `exponentiate` the row becomes exp(z - m).
/// Blocks of 1024 are summed in T, the blocks in double.
template <class T>
row_statistics<T> softmax_statistics(T* z, const T* bias, index_t n, bool exponentiate) {
  constexpr index_t W = simd::width<T>, block = 1024;
  simd::batch<T> top(-std::numeric_limits<T>::infinity());
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    simd::batch<T> v = simd::load_some(z + i, count, -std::numeric_limits<T>::infinity());
    if (bias) {
      v = v + simd::load_some(bias + i, count);
      simd::store_some(z + i, v, count);
    }
    top = simd::max(top, v);
  });
  row_statistics<T> s{simd::highest(top)};
  const simd::batch<T> m(s.largest);
  for (index_t first = 0; first < n; first += block) {
    simd::batch<T> sum(T(0)), centered(T(0));
    for_each_batch<T>(std::min(block, n - first), [&](index_t i, index_t count) {
      simd::batch<T> d = simd::load_some(z + first + i, count) - m, e = simd::exp(d);
      if (count < W) {
        d = simd::keep((std::uint64_t{1} << count) - 1, d);
        e = simd::keep((std::uint64_t{1} << count) - 1, e);
      }
      if (exponentiate) simd::store_some(z + first + i, e, count);
      sum = sum + e;
      centered = centered + d;
    });
    s.exponentials += double(simd::sum(sum));
    s.centered += double(simd::sum(centered));
  }
  return s;
}

/// The smoothed target distribution of a vocabulary: `target` for the target, `other` for every other entry.
struct target_distribution {
  double target = 1, other = 0;

  target_distribution(double epsilon, smoothing convention, index_t vocabulary) {
    if (!(epsilon >= 0 && epsilon < 1))
      fail("cross_entropy: smoothing ", epsilon, " found, expected a number in [0, 1)");
    const bool all = convention == smoothing::over_vocabulary;
    if (vocabulary > 1) other = epsilon / double(all ? vocabulary : vocabulary - 1);
    target = 1 - double(vocabulary - 1) * other;
  }
};

/// The entry in which the running sum of the weights w reaches `sum`; the last one with weight if none does.
template <class T>
index_t entry_at(const T* w, index_t n, double sum) {
  index_t last = 0;
  for (index_t i = 0; i < n; ++i) {
    if (!(w[i] > T(0))) continue;
    last = i;
    sum -= double(w[i]);
    if (sum <= 0) break;
  }
  return last;
}

/// One row of logits: its loss and nll; with `gradient` the row becomes d loss / d logits = softmax - q.
/// `uniform`, if any, is a number in [0, 1) that draws another target from the softmax.
template <class T>
cross_entropy_sums cross_entropy_row(T* z, const T* bias, index_t n, token_t target,
                                     const target_distribution& q, bool gradient, const double* uniform) {
  const double target_logit = double(z[target] + (bias ? bias[target] : T(0)));
  const row_statistics<T> s = softmax_statistics(z, bias, n, gradient || uniform);
  double nll = s.log_sum() - (target_logit - double(s.largest));
  if (uniform) {
    target = token_t(entry_at(z, n, *uniform * s.exponentials));
    nll = s.log_sum() - std::log(double(z[target]));
  }
  // - sum_v q_v log p_v, where log p_v = z_v - m - log_sum.
  const double loss = (q.target - q.other) * nll + q.other * (double(n) * s.log_sum() - s.centered);
  if (gradient) {
    const auto scale = simd::batch<T>(T(1 / s.exponentials)), other = simd::batch<T>(T(-q.other));
    for_each_batch<T>(n, [&](index_t i, index_t count) {
      simd::store_some(z + i, simd::fma(simd::load_some(z + i, count), scale, other), count);
    });
    z[target] -= T(q.target - q.other);
  }
  return {loss, nll, 1};
}

template <class T>
void check_cross_entropy(const cross_entropy_arguments<T>& a, const cross_entropy_gradients<T>* g) {
  const index_t rows = a.x.rows, width = a.x.width, vocabulary = a.weight.rows;
  if (width != a.weight.width || vocabulary < 1)
    fail("cross_entropy: x is [", rows, ", ", width, "], the weight [", vocabulary, ", ", a.weight.width,
         "]");
  if (g && (g->dx.rows != rows || g->dx.width != width || g->dweight.rows != vocabulary ||
            g->dweight.width != width || !g->dbias != !a.bias))
    fail("cross_entropy: dx, dweight and dbias must have the shapes of x [", rows, ", ", width, "], weight [",
         vocabulary, ", ", width, "] and bias");
  check_ids(a.targets, rows, vocabulary, "cross_entropy: target");
}

template <class T>
cross_entropy_sums cross_entropy(cpu_backend& backend, const cross_entropy_arguments<T>& a,
                                 const cross_entropy_gradients<T>* g) {
  check_cross_entropy(a, g);
  const index_t rows = a.x.rows, vocabulary = a.weight.rows, width = a.x.width;
  const target_distribution q(a.epsilon, a.convention, vocabulary);
  const index_t chunk =
      std::min(rows, std::max<index_t>(16, logits_bytes / (vocabulary * index_t(sizeof(T)))));
  const index_t rows_each = std::max<index_t>(1, 4096 / vocabulary);
  cross_entropy_sums total;
  for (index_t first = 0; first < rows; first += chunk) {
    const index_t count = std::min(chunk, rows - first);
    const matrix_view<T> z(backend.scratch<T>(slot_logits, chunk * vocabulary), count, vocabulary);
    const matrix_view<const T> x = a.x.slice(first, count);
    gemm<T>(backend, width, {x.data, x.stride}, {a.weight.data, a.weight.stride, true}, z);
    auto* const sums = backend.scratch<cross_entropy_sums>(slot_reduction, count);
    backend.team().run((count + rows_each - 1) / rows_each, [&](index_t task) {
      for (index_t r = task * rows_each; r < std::min(count, (task + 1) * rows_each); ++r) {
        const double uniform = a.sample ? a.sample->uniform(std::uint64_t(first + r)) : 0;
        sums[r] = cross_entropy_row(z.row(r), a.bias, vocabulary, a.targets[first + r], q, g != nullptr,
                                    a.sample ? &uniform : nullptr);
      }
    });
    for (index_t r = 0; r < count; ++r) total.loss += sums[r].loss, total.nll += sums[r].nll;
    if (!g) continue;
    gemm<T>(backend, vocabulary, {z.data, z.stride}, {a.weight.data, a.weight.stride},
            g->dx.slice(first, count), g->add_dx);
    gemm<T>(backend, count, {z.data, z.stride, true}, {x.data, x.stride}, g->dweight, true);
    if (g->dbias) column_sum<T>(backend, z, g->dbias);
  }
  total.count = rows;
  return total;
}

}  // namespace detail

/// Label-smoothed cross entropy of the output projection, without gradients: for evaluation.
/// Shapes:   x [N, D], weight [V, D], bias [V], targets [N] -> sums over the N rows
/// Requires: 0 <= targets[i] < V, epsilon in [0, 1), equal widths (checked)
/// Cost:     2 N V D flops; scratch: 16 MiB of logits or 16 rows, whichever is more
/// Determinism: chunks depend on N and V only; row sums are added in order, in double.
/// Source:   Szegedy et al. 2016, section 7 (over_vocabulary)
template <class T>
cross_entropy_sums cross_entropy_value(cpu_backend& backend, const cross_entropy_arguments<T>& a) {
  return detail::cross_entropy<T>(backend, a, nullptr);
}

/// The same with the gradients of the SUM of the smoothed loss over the rows.
/// Gradient: dz = softmax(z) - q with the smoothed distribution q; dx = dz weight, dweight += dz^T x,
///           dbias += sum over rows of dz
/// Requires: gradients of equal shapes that overlap no input (shapes checked)
/// Cost:     6 N V D flops
template <class T>
cross_entropy_sums cross_entropy_gradient(cpu_backend& backend, const cross_entropy_arguments<T>& a,
                                          const cross_entropy_gradients<T>& g) {
  return detail::cross_entropy<T>(backend, a, &g);
}

/// out = z - log(sum(exp(z))) row by row: the log-probabilities of logits, for decoding.
/// Shapes:   z, out [rows, V]
/// Requires: equal shapes (checked); out may be z
template <class T>
void log_softmax_rows(cpu_backend& backend, matrix_view<T> z, matrix_view<T> out) {
  if (z.rows != out.rows || z.width != out.width)
    fail("log_softmax: [", z.rows, ", ", z.width, "] logits, [", out.rows, ", ", out.width, "] results");
  backend.team().run(z.rows, [&](index_t r) {
    const auto s = detail::softmax_statistics<T>(z.row(r), nullptr, z.width, false);
    const auto shift = simd::batch<T>(T(s.largest)), log_sum = simd::batch<T>(T(s.log_sum()));
    for_each_batch<T>(z.width, [&](index_t i, index_t count) {
      simd::store_some(out.row(r) + i, simd::load_some(z.row(r) + i, count) - shift - log_sum, count);
    });
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
