#pragma once
#include <formwork/graph/graph.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork::detail {

// Norms of each head's columns: [N, H K] as [N H, K], head by head, by the kernels for whole rows.

/// Error: heads that do not divide the width.
constexpr index_t width_of_head(expr x, int heads) {
  if (heads < 1 || x.width() % heads) throw "norm: the width must be a multiple of heads";
  return x.width() / heads;
}

/// What a node keeps of `heads`: 0 for whole rows.
constexpr int kept_heads(int heads) { return heads > 1 ? heads : 0; }
constexpr int heads_of(const node& n) { return n.heads > 1 ? n.heads : 1; }
constexpr index_t head_width(const node& n) { return n.width / heads_of(n); }

/// The columns of head h.
template <class T>
constexpr matrix_view<T> head(matrix_view<T> x, const node& n, int h) {
  return x.columns(h * head_width(n), head_width(n));
}

}  // namespace formwork::detail
