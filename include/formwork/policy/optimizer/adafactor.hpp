#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/math.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/factored_squares.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

#include <algorithm>
#include <cmath>

namespace formwork {

/// Adam without m, and with a v of rank one for matrices, so that next to nothing is kept. With
/// beta = 1 - t^(-decay_rate) and means over the squares s = g^2 + floor:
///   R <- beta R + (1 - beta) (means of rows of s), C the same of columns, V = R C^T / mean(R);
///   a vector keeps V <- beta V + (1 - beta) s;
///   u = g / sqrt(V);  u <- u / max(1, rms(u) / threshold);
///   w <- (1 - lr weight_decay) w where weight decay applies;  w <- w - lr max(smallest, rms(w)) u.
/// The schedule gives lr, the paper's relative step size: min(0.01, 1 / sqrt(t)).
/// When:   memory is short: T5, large embeddings
/// Cost:   per weight 14 flops, g is read three times; rows + columns extra numbers for a matrix
/// Source: Shazeer, Stern 2018, algorithms 4 and 5; as PyTorch's Adafactor, whose floor is other
struct adafactor {
  static constexpr label name = "adafactor";

  double decay_rate = 0.8;        ///< above 0
  double floor = 1e-30;           ///< added to squares, at least 1e-30: a float must hold it
  double smallest = 1e-3;         ///< smallest rms of a parameter that counts, above 0
  double threshold = 1;           ///< largest rms of u, above 0
  double weight_decay = 0;        ///< decoupled, as in `adamw`
  bool scales_by_weights = true;  ///< false: lr is the step's size as it is

  static constexpr bool is_factored(index_t rows, index_t columns) { return rows > 1 && columns > 1; }
  index_t kept(index_t rows, index_t columns) const {
    return is_factored(rows, columns) ? rows + columns : rows * columns;
  }
  index_t scratch(index_t rows, index_t columns) const {
    return is_factored(rows, columns) ? rows + columns : 0;
  }

  template <class Backend, class T>
  void step(Backend& backend, const matrix_update<T>& u) const {
    const index_t rows = u.w.rows, columns = u.w.width;
    const double size = double(rows * columns), now = std::pow(double(u.info.step), -decay_rate);
    double rate = u.info.lr;
    if (scales_by_weights)
      rate *=
          (std::max)(smallest, std::sqrt(cpu::sum_of_squares<T>(backend, u.w.data, rows * columns) / size));
    const double keep = u.info.decays ? 1 - u.info.lr * weight_decay : 1;
    const auto bounded = [&](double squares) {
      return rate / (std::max)(1.0, std::sqrt(squares / size) / threshold);
    };
    if (is_factored(rows, columns)) {
      T* const row = u.scratch;
      T* const column = row + rows;
      factors(backend, u, now, row, column);
      const double squares = cpu::sum_of_scaled_squares<T>(backend, u.g, row, column);
      cpu::subtract_scaled<T>(backend, u.w, u.g, row, column, keep, bounded(squares));
      return;
    }
    const matrix_view<T> v(u.kept, rows, columns);
    const auto share = T(now), least = T(floor);
    cpu::map(
        backend, v,
        [=](auto old, auto g) {
          using V = decltype(old);
          return old + V(share) * (g * g + V(least) - old);
        },
        v, u.g);
    cpu::map(
        backend, u.g, [](auto g, auto mean) { return g / sqrt(mean); }, u.g, v);
    const auto take = T(bounded(cpu::sum_of_squares<T>(backend, u.g.data, rows * columns))), stay = T(keep);
    cpu::map(
        backend, u.w,
        [=](auto w, auto step) {
          using V = decltype(w);
          return V(stay) * w - V(take) * step;
        },
        u.w, u.g);
  }

  constexpr void validate() const {
    for (const auto& [name, value] :
         {named{"decay_rate", decay_rate}, named{"smallest", smallest}, named{"threshold", threshold}})
      if (!(value > 0 && is_finite(value)))
        fail("adafactor: ", name, " is ", value, ", expected a finite number above 0");
    if (!(floor >= 1e-30 && is_finite(floor)))
      fail("adafactor: floor is ", floor, ", expected a finite number, at least 1e-30");
    if (!(weight_decay >= 0 && is_finite(weight_decay)))
      fail("adafactor: the decay is ", weight_decay, ", expected a finite number, 0 or more");
  }

 private:
  struct named {
    const char* name;
    double value;
  };

  /// Moves R and C, and sets row and column so that u[r, c] = row[r] g[r, c] column[c].
  template <class Backend, class T>
  void factors(Backend& backend, const matrix_update<T>& u, double now, T* row, T* column) const {
    const index_t rows = u.w.rows, columns = u.w.width;
    cpu::row_and_column_squares<T>(backend, u.g, row, column);
    double mean = 0;
    for (index_t r = 0; r < rows; ++r) {
      u.kept[r] += T(now * (double(row[r]) / double(columns) + floor - double(u.kept[r])));
      mean += double(u.kept[r]);
    }
    mean /= double(rows);
    for (index_t r = 0; r < rows; ++r) row[r] = T(std::sqrt(mean / double(u.kept[r])));
    for (index_t c = 0; c < columns; ++c) {
      T& kept = u.kept[rows + c];
      kept += T(now * (double(column[c]) / double(rows) + floor - double(kept)));
      column[c] = T(1 / std::sqrt(double(kept)));
    }
  }
};
static_assert(optimizer<adafactor> && matrix_optimizer<adafactor>);

}  // namespace formwork
