#pragma once
#include <formwork/graph/graph.hpp>

namespace formwork {

/// Multiplications and additions of one forward pass over one layer, divided by the axis of the rows.
struct layer_cost {
  double per_source = 0, per_target = 0;                  ///< for each token of the axis
  double per_source_key = 0, per_target_key = 0;          ///< for each token and each token it attends to

  friend constexpr layer_cost operator+(layer_cost a, layer_cost b) {
    return {a.per_source + b.per_source, a.per_target + b.per_target, a.per_source_key + b.per_source_key,
            a.per_target_key + b.per_target_key};
  }
  friend constexpr layer_cost operator*(double n, layer_cost c) {
    return {n * c.per_source, n * c.per_target, n * c.per_source_key, n * c.per_target_key};
  }
};

/// Counts a layer's table. A multiplication and an addition are two operations.
constexpr layer_cost cost_of(const graph& g) {
  layer_cost c;
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) continue;
    const row_cost r = g[i].op->cost(g, g[i]);
    (g[i].rows == axis::source ? c.per_source : c.per_target) += r.flops;
    (g[i].rows == axis::source ? c.per_source_key : c.per_target_key) += r.flops_per_key;
  }
  return c;
}

}  // namespace formwork
