#pragma once
#include <formwork/core/error.hpp>
#include <formwork/kernels/cpu/cross_entropy.hpp>
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/tensor/view.hpp>

#include <optional>

namespace formwork {

/// Sums over target tokens; divide by `tokens` for means.
struct loss_sums {
  double loss = 0;     ///< what is trained, smoothing included, in nats
  double nll = 0;      ///< negative log-likelihood of the references, in nats
  index_t tokens = 0;

  loss_sums& operator+=(const loss_sums& b) {
    loss += b.loss;
    nll += b.nll;
    tokens += b.tokens;
    return *this;
  }
};

/// The output projection: logits = x weight^T + bias. The gradients are null in inference.
template <class T>
struct projection_head {
  matrix_view<T> weight{};    // [V, D]
  T* bias = nullptr;          // [V]
  matrix_view<T> d_weight{};  // [V, D]
  T* d_bias = nullptr;        // [V]
};

/// The output projection whose parameters lie at `places`: its weight is the first, its bias the second.
template <class T>
projection_head<T> head_at(const parameter_places& places, parameter_store<T>& store, index_t vocabulary,
                           index_t width, bool has_bias) {
  const auto at = [&](std::size_t i, T* base) { return base ? base + places.offset[i] : nullptr; };
  return {.weight = {at(0, store.values()), vocabulary, width},
          .bias = has_bias ? at(1, store.values()) : nullptr,
          .d_weight = {at(0, store.gradients()), vocabulary, width},
          .d_bias = has_bias ? at(1, store.gradients()) : nullptr};
}

/// Cross entropy with label smoothing, fused with the output projection:
/// no more than a chunk of logits is ever stored.
/// Toolkits differ in who receives the smoothed probability: `convention`.
/// Source: Szegedy et al. 2016, section 7
struct smoothed_cross_entropy {
  double epsilon = 0.1;                                ///< probability taken from the reference, in [0, 1)
  smoothing convention = smoothing::over_vocabulary;
  std::optional<random_stream> sample{};  ///< draws labels from the model's distribution instead of `targets`

  /// Loss of all rows of x [N, D] against `targets`; dx is overwritten, the head's gradients are added to.
  /// Gradients are of the sum over rows.
  template <class T, class Backend>
  loss_sums gradient(Backend& backend, matrix_view<T> x, const projection_head<T>& head,
                     const token_t* targets, matrix_view<T> dx) const {
    return sums(cpu::cross_entropy_gradient<T>(backend, arguments(x, head, targets),
                                               {.dx = dx, .dweight = head.d_weight, .dbias = head.d_bias}));
  }
  /// The same without gradients.
  template <class T, class Backend>
  loss_sums value(Backend& backend, matrix_view<T> x, const projection_head<T>& head,
                  const token_t* targets) const {
    return sums(cpu::cross_entropy_value<T>(backend, arguments(x, head, targets)));
  }

  /// Error: epsilon outside [0, 1).
  void validate() const {
    if (!(epsilon >= 0 && epsilon < 1))
      fail("smoothed_cross_entropy: epsilon is ", epsilon, ", expected [0, 1)");
  }

 private:
  static loss_sums sums(const cross_entropy_sums& s) { return {s.loss, s.nll, s.count}; }
  template <class T>
  cpu::cross_entropy_arguments<T> arguments(matrix_view<T> x, const projection_head<T>& head,
                                            const token_t* targets) const {
    return {x, head.weight, head.bias, targets, epsilon, convention, sample ? &*sample : nullptr};
  }
};

/// Log-probabilities of the rows of x.
/// Shapes:   x [N, D], out [N, V], those of the head as its comments say
/// Requires: these shapes (checked)
template <class T, class Backend>
void output_log_probabilities(Backend& backend, matrix_view<T> x, const projection_head<T>& head,
                              matrix_view<T> out) {
  if (x.width != head.weight.width || out.rows != x.rows || out.width != head.weight.rows)
    fail("log-probabilities: x is [", x.rows, ", ", x.width, "], the output weight [", head.weight.rows, ", ",
         head.weight.width, "], the result [", out.rows, ", ", out.width, "]");
  const auto add_bias = [&](index_t, index_t column, matrix_view<T> block) {
    if (!head.bias) return;
    for (index_t r = 0; r < block.rows; ++r)
      cpu::map_row(
          block.row(r), block.width, [](auto z, auto b) { return z + b; }, block.row(r), head.bias + column);
  };
  cpu::gemm<T>(backend, x.width, {x.data, x.stride}, {head.weight.data, head.weight.stride, true}, out, false,
               add_bias);
  cpu::log_softmax_rows<T>(backend, out, out);
}

}  // namespace formwork
