#pragma once
#include <formwork/core/error.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

namespace detail {

inline double dot(const double* a, const double* b, index_t n) {
  return row_sum<double>(n, [&](index_t i, index_t count) {
    return simd::load_some(a + i, count) * simd::load_some(b + i, count);
  });
}

// a += f x + g y, all [n].
inline void add_two(double* a, double f, const double* x, double g, const double* y, index_t n) {
  const simd::batch<double> of_x(f), of_y(g);
  for_each_batch<double>(n, [&](index_t i, index_t count) {
    const auto sum = simd::fma(of_x, simd::load_some(x + i, count), simd::load_some(a + i, count));
    simd::store_some(a + i, simd::fma(of_y, simd::load_some(y + i, count), sum), count);
  });
}

/// One symmetric matrix on its way to its eigenvectors.
class symmetric_eigen_job {
 public:
  symmetric_eigen_job(cpu_backend& backend, index_t n, double* a, double* z, double* scratch)
      : backend_(backend), n_(n), a_(a), z_(z), d_(scratch), e_(d_ + n), v_(e_ + n), w_(v_ + n) {}

  void run() {
    std::fill_n(z_, n_ * n_, 0.0);
    for (index_t i = 0; i < n_; ++i) z_[i * n_ + i] = 1;
    for (index_t k = 0; k + 2 < n_; ++k) reflect(k);
    for (index_t i = 0; i < n_; ++i) d_[i] = a_[i * n_ + i];
    if (n_ > 1) e_[n_ - 2] = a_[(n_ - 1) * n_ + n_ - 2];
    e_[n_ - 1] = 0;
    double largest = 0;
    for (index_t i = 0; i < n_; ++i) largest = std::max(largest, std::fabs(d_[i]) + std::fabs(e_[i]));
    negligible_ = std::numeric_limits<double>::epsilon() * largest;
    for (index_t l = 0; l < n_; ++l) diagonalise(l);
  }
  const double* values() const { return d_; }

 private:
  static constexpr index_t rows_at_once = 16, columns_at_once = 64;

  template <class F>
  void each_row(index_t first, F f) {
    const index_t tasks = (n_ - first + rows_at_once - 1) / rows_at_once;
    backend_.team().run(tasks, [&](index_t task) {
      const index_t begin = first + task * rows_at_once, end = std::min(n_, begin + rows_at_once);
      for (index_t i = begin; i < end; ++i) f(i);
    });
  }

  /// A <- H A H and Z <- H Z with the reflection H that leaves column k nothing below e[k].
  void reflect(index_t k) {
    const index_t first = k + 1, rest = n_ - first;
    double* const v = v_ + first;
    double* const w = w_ + first;
    std::copy_n(a_ + k * n_ + first, rest, v);
    const double tail = dot(v + 1, v + 1, rest - 1), length = std::sqrt(tail + v[0] * v[0]);
    if (!(tail > 0)) {
      e_[k] = v[0];
      return;
    }
    e_[k] = v[0] > 0 ? -length : length;
    v[0] -= e_[k];
    const double beta = 2 / (tail + v[0] * v[0]);
    each_row(first, [&](index_t i) { w_[i] = beta * dot(a_ + i * n_ + first, v, rest); });
    const double half = 0.5 * beta * dot(w, v, rest);
    for (index_t i = 0; i < rest; ++i) w[i] -= half * v[i];
    each_row(first, [&](index_t i) { add_two(a_ + i * n_ + first, -v_[i], w, -w_[i], v, rest); });
    // Z <- Z - v (beta v^T Z), a block of columns at a time.
    each_columns([&](index_t column, index_t count) {
      double sum[columns_at_once] = {};
      for (index_t i = first; i < n_; ++i)
        for (index_t c = 0; c < count; ++c) sum[c] += v_[i] * z_[i * n_ + column + c];
      for (index_t i = first; i < n_; ++i)
        for (index_t c = 0; c < count; ++c) z_[i * n_ + column + c] -= beta * v_[i] * sum[c];
    });
  }

  template <class F>
  void each_columns(F f) {
    backend_.team().run((n_ + columns_at_once - 1) / columns_at_once, [&](index_t task) {
      const index_t column = task * columns_at_once;
      f(column, std::min(columns_at_once, n_ - column));
    });
  }

  /// Implicit QL steps until e[l] is 0; the rotations of a step go through Z together.
  void diagonalise(index_t l) {
    for (int round = 0;; ++round) {
      index_t m = l;
      while (m + 1 < n_ && !(std::fabs(e_[m]) <= negligible_)) ++m;
      if (m == l) return;
      if (round == 60) fail("symmetric_eigen: no convergence; is the matrix finite?");
      const index_t lowest = step(l, m);
      each_columns([&](index_t column, index_t count) {
        for (index_t i = m - 1; i >= lowest; --i)
          rotate(z_ + i * n_ + column, z_ + (i + 1) * n_ + column, count, v_[i], w_[i]);
      });
    }
  }
  static void rotate(double* low, double* high, index_t count, double c, double s) {
    for (index_t k = 0; k < count; ++k) {
      const double x = low[k], y = high[k];
      high[k] = s * x + c * y;
      low[k] = c * x - s * y;
    }
  }

  /// One step on rows l to m of the tridiagonal matrix. Cosines go to v, sines to w; the first index that has
  /// one is returned.
  index_t step(index_t l, index_t m) {
    double g = (d_[l + 1] - d_[l]) / (2 * e_[l]);
    g = d_[m] - d_[l] + e_[l] / (g + std::copysign(std::hypot(g, 1.0), g));
    double c = 1, s = 1, p = 0;
    for (index_t i = m - 1; i >= l; --i) {
      const double f = s * e_[i], b = c * e_[i], r = std::hypot(f, g);
      e_[i + 1] = r;
      if (r == 0) {  // the matrix falls into two parts
        d_[i + 1] -= p;
        e_[m] = 0;
        return i + 1;
      }
      s = f / r;
      c = g / r;
      g = d_[i + 1] - p;
      const double q = (d_[i] - g) * s + 2 * c * b;
      p = s * q;
      d_[i + 1] = g + p;
      g = c * q - b;
      v_[i] = c;
      w_[i] = s;
    }
    d_[l] -= p;
    e_[l] = g;
    e_[m] = 0;
    return l;
  }

  cpu_backend& backend_;
  index_t n_;
  double *a_, *z_, *d_, *e_, *v_, *w_;
  double negligible_ = 0;  // beside the largest value: what is smaller is rounding, and may never get smaller
};

}  // namespace detail

/// Doubles of scratch that symmetric_eigen needs.
constexpr index_t symmetric_eigen_scratch(index_t n) { return 2 * n * n + 4 * n; }

/// Eigenvectors and eigenvalues of a symmetric matrix, in double precision: row i of `vectors` is the vector
/// of values[i], both in the order of falling values. Of several vectors for one value any basis may come.
/// Shapes:   a, vectors [n, n]; values [n]; scratch of symmetric_eigen_scratch(n) doubles
/// Requires: a symmetric (unchecked) and finite (checked); `vectors` may be a
/// Cost:     about 14 n^3 flops
/// Determinism: the same bits for any number of threads
/// Source:   Householder's reduction and implicit QL steps: Golub, Van Loan, Matrix Computations, 8.3
template <class T>
void symmetric_eigen(cpu_backend& backend, matrix_view<const T> a, matrix_view<T> vectors, T* values,
                     double* scratch) {
  const index_t n = a.rows;
  if (n == 0) return;
  double* const copy = scratch;
  double* const z = copy + n * n;
  for (index_t i = 0; i < n; ++i) std::copy_n(a.row(i), n, copy + i * n);
  detail::symmetric_eigen_job job(backend, n, copy, z, z + n * n);
  job.run();
  index_t* const order = backend.scratch<index_t>(slot_reduction, n);
  for (index_t i = 0; i < n; ++i) order[i] = i;
  const double* const found = job.values();
  std::sort(order, order + n,
            [&](index_t x, index_t y) { return found[x] != found[y] ? found[x] > found[y] : x < y; });
  for (index_t i = 0; i < n; ++i) {
    values[i] = T(found[order[i]]);
    std::copy_n(z + order[i] * n, n, vectors.row(i));
  }
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
