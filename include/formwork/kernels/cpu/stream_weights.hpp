#pragma once
#include <formwork/kernels/cpu/elementwise.hpp>

#include <algorithm>
#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// The numbers that mix n streams lie in one row: [n] weights of a branch's input, then for each of the n
/// streams that go on [n + 1] numbers, the weights of the streams and that of the branch's result.
constexpr index_t stream_weight_count(index_t n) { return n * (n + 2); }
constexpr index_t stream_weight(index_t n, index_t to, index_t from) { return n + to * (n + 1) + from; }

/// Streams that the kernels below have room for.
inline constexpr index_t most_streams = 4;
/// Divisions of Sinkhorn's iteration by the sums of the columns, and as many by those of the rows.
inline constexpr int sinkhorn_steps = 20;

namespace detail {

/// Calls f(row) for all rows on all threads.
template <class F>
void each_row(cpu_backend& backend, index_t rows, F f) {
  const row_chunks chunks(rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r) f(r);
  });
}

/// Calls f(k, place) for what stream j's row of tanh_weights holds: its weight in the branch's input, in all
/// streams that go on, and the weight of the branch's result in stream j.
template <class F>
void each_weight_of(index_t n, index_t j, F f) {
  f(0, j);
  for (index_t i = 0; i < n; ++i) f(i + 1, stream_weight(n, i, j));
  f(n + 1, stream_weight(n, j, n));
}

/// A positive n x n matrix whose columns and rows are divided by their sums in turn; the steps are kept.
class sinkhorn {
 public:
  /// From the logarithms of the elements.
  sinkhorn(const double* logarithms, index_t n) : n_(n) {
    for (index_t c = 0; c < n; ++c) {  // dividing by a column's largest element changes no later step
      double largest = logarithms[c];
      for (index_t r = 1; r < n; ++r) largest = std::max(largest, logarithms[r * n + c]);
      for (index_t r = 0; r < n; ++r)
        step_[0][r * n + c] = std::exp(std::max(logarithms[r * n + c] - largest, -700.0));
    }
    for (int s = 0; s < 2 * sinkhorn_steps; ++s)
      for (index_t line = 0; line < n; ++line) {
        const double sum = along(s, line, [&](index_t i) { return step_[s][i]; });
        along(s, line, [&](index_t i) { return step_[s + 1][i] = step_[s][i] / sum; });
      }
  }
  const double* result() const { return step_[2 * sinkhorn_steps]; }

  /// Turns the gradient of the result into that of the logarithms.
  void differentiate(double* d) const {
    for (int s = 2 * sinkhorn_steps - 1; s >= 0; --s)
      for (index_t line = 0; line < n_; ++line) {
        const double sum = along(s, line, [&](index_t i) { return step_[s][i]; });
        const double mean = along(s, line, [&](index_t i) { return d[i] * step_[s + 1][i]; });
        along(s, line, [&](index_t i) { return d[i] = (d[i] - mean) / sum; });
      }
    for (index_t i = 0; i < n_ * n_; ++i) d[i] *= step_[0][i];
  }

 private:
  /// Sum of f(index) over the elements of a column (steps 0, 2, ...) or a row (1, 3, ...).
  template <class F>
  double along(int step, index_t line, F f) const {
    double sum = 0;
    for (index_t i = 0; i < n_; ++i) sum += f(step % 2 ? line * n_ + i : i * n_ + line);
    return sum;
  }

  index_t n_;
  double step_[2 * sinkhorn_steps + 1][most_streams * most_streams];
};

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// What all streams together say in row r, and constant + scale times it.
template <class T>
class said_weights {
 public:
  said_weights(const matrix_view<T>* z, index_t n, index_t r, const T* constant, const T* scale)
      : n_(n), constant_(constant), scale_(scale) {
    for (index_t k = 0; k < stream_weight_count(n); ++k)
      for (index_t j = 0; j < n; ++j) sum_[k] += double(z[j].row(r)[k]);
  }
  double sum(index_t k) const { return sum_[k]; }
  /// Number k, whose scale is that of `part`.
  double operator()(index_t k, int part) const {
    return double(constant_[k]) + double(scale_[part]) * sum_[k];
  }
  /// The stream-to-stream weights.
  sinkhorn streams() const {
    double logarithms[most_streams * most_streams]{};
    for (index_t i = 0; i < n_; ++i)
      for (index_t j = 0; j < n_; ++j) logarithms[i * n_ + j] = (*this)(stream_weight(n_, i, j), 1);
    return {logarithms, n_};
  }

 private:
  index_t n_;
  const T *constant_, *scale_;
  double sum_[stream_weight_count(most_streams)]{};
};

}  // namespace detail

/// weight = constant + scale tanh(z). Row j of z holds what stream j says of its own weights: n + 2 numbers.
/// Shapes:   z[j] [rows, n + 2] for n streams, constant [n (n + 2)], scale [2]: of the weights of streams and
///           of those of the branch's result -> y [rows, n (n + 2)] in the order of `stream_weight`
/// Source:   Zhu et al. 2024 (Hyper-Connections), eq. 10 to 13
template <class T>
void tanh_weights(cpu_backend& backend, const matrix_view<T>* z, index_t n, const T* constant, const T* scale,
                  matrix_view<T> y) {
  detail::each_row(backend, y.rows, [&](index_t r) {
    for (index_t j = 0; j < n; ++j)
      detail::each_weight_of(n, j, [&](index_t k, index_t at) {
        y.row(r)[at] = constant[at] + scale[k == n + 1] * std::tanh(z[j].row(r)[k]);
      });
  });
}

/// Gradient of tanh_weights.
/// Gradient: dz = dy scale (1 - tanh(z)^2), added to where add_dz[j]; dconstant += column sums of dy;
///           dscale += sums of dy tanh(z)
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void tanh_weights_backward(cpu_backend& backend, matrix_view<const T> dy, const matrix_view<T>* z, index_t n,
                           const T* scale, const matrix_view<T>* dz, const bool* add_dz, T* dconstant,
                           T* dscale) {
  const matrix_view<T> slopes(backend.scratch<T>(slot_columns, 2 * dy.rows), dy.rows, 2);
  detail::each_row(backend, dy.rows, [&](index_t r) {
    T* const slope = slopes.row(r);
    slope[0] = slope[1] = T(0);
    for (index_t j = 0; j < n; ++j)
      detail::each_weight_of(n, j, [&](index_t k, index_t at) {
        const T t = std::tanh(z[j].row(r)[k]), d = dy.row(r)[at] * scale[k == n + 1] * (1 - t * t);
        slope[k == n + 1] += dy.row(r)[at] * t;
        T& to = dz[j].row(r)[k];
        to = add_dz[j] ? to + d : d;
      });
  });
  column_sum<T>(backend, dy, dconstant);
  column_sum<T>(backend, slopes, dscale);
}

/// With v = constant + scale sum_j z_j: the weights of a branch's input are logistic(v), those of its result
/// 2 logistic(v), and those from stream to stream exp(v), made doubly stochastic by `sinkhorn_steps`
/// divisions by the sums over the next streams and then over the earlier ones.
/// Shapes:   z[j] of n streams and y [rows, n (n + 2)] in the order of `stream_weight`, constant [n (n + 2)],
///           scale [3]: of the branch's input, of the streams, of the branch's result
/// Requires: n <= most_streams (unchecked)
/// Source:   Xie et al. 2025 (mHC), eq. 7 to 9
template <class T>
void sinkhorn_weights(cpu_backend& backend, const matrix_view<T>* z, index_t n, const T* constant,
                      const T* scale, matrix_view<T> y) {
  detail::each_row(backend, y.rows, [&](index_t r) {
    const detail::said_weights<T> v(z, n, r, constant, scale);
    const detail::sinkhorn streams = v.streams();
    for (index_t i = 0; i < n; ++i) {
      y.row(r)[i] = T(detail::logistic(v(i, 0)));
      const index_t b = stream_weight(n, i, n);
      y.row(r)[b] = T(2 * detail::logistic(v(b, 2)));
      for (index_t j = 0; j < n; ++j) y.row(r)[stream_weight(n, i, j)] = T(streams.result()[i * n + j]);
    }
  });
}

/// Gradient of sinkhorn_weights, through all divisions.
/// Gradient: dz_j = scale dv, added to where add_dz[j]; dconstant += column sums of dv; dscale += sums of
///           dv sum_j z_j
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void sinkhorn_weights_backward(cpu_backend& backend, matrix_view<const T> dy, const matrix_view<T>* z,
                               matrix_view<const T> y, index_t n, const T* constant, const T* scale,
                               const matrix_view<T>* dz, const bool* add_dz, T* dconstant, T* dscale) {
  const index_t width = stream_weight_count(n);
  const matrix_view<T> dv(backend.scratch<T>(slot_columns, (width + 3) * dy.rows), dy.rows, width),
      slopes(dv.data + width * dy.rows, dy.rows, 3);
  detail::each_row(backend, dy.rows, [&](index_t r) {
    std::fill_n(slopes.row(r), 3, T(0));
    const detail::said_weights<T> v(z, n, r, constant, scale);
    const auto put = [&](index_t k, int part, double d) {
      dv.row(r)[k] = T(d);
      slopes.row(r)[part] += T(d * v.sum(k));
      for (index_t j = 0; j < n; ++j) {
        T& to = dz[j].row(r)[k];
        to = T(d * double(scale[part])) + (add_dz[j] ? to : T(0));
      }
    };
    double d[most_streams * most_streams];
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) d[i * n + j] = double(dy.row(r)[stream_weight(n, i, j)]);
    v.streams().differentiate(d);
    for (index_t i = 0; i < n; ++i) {
      const index_t b = stream_weight(n, i, n);
      const double in = double(y.row(r)[i]), out = double(y.row(r)[b]);
      put(i, 0, double(dy.row(r)[i]) * in * (1 - in));
      put(b, 2, double(dy.row(r)[b]) * out * (1 - out / 2));
      for (index_t j = 0; j < n; ++j) put(stream_weight(n, i, j), 1, d[i * n + j]);
    }
  });
  column_sum<T>(backend, dv, dconstant);
  column_sum<T>(backend, slopes, dscale);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu
