#pragma once
#include <formwork/graph/graph.hpp>

#include <array>

namespace formwork {

/// A rewriting rule of the fusion table: looks at node `at` and, if its pattern is there, puts the fused node
/// in place of the last node of the pattern. Nodes that nobody uses any more are removed afterwards.
struct fusion {
  label name{};
  bool (*apply)(graph&, int at) = nullptr;
};

namespace detail {

/// Removes the nodes that no output depends on and closes the gaps.
constexpr void remove_unused(graph& g) {
  bool live[graph::max_nodes]{};
  for (int s = 0; s < g.input_count; ++s) live[g.inputs[s]] = true;
  for (int s = 0; s < g.output_count; ++s) live[g.outputs[s]] = true;
  if (g.memory >= 0) live[g.memory] = true;
  for (int i = g.count - 1; i >= 0; --i)
    if (live[i])
      for (short k : g.nodes[i].in)
        if (k >= 0) live[k] = true;
  short place[graph::max_nodes]{};
  int count = 0;
  for (int i = 0; i < g.count; ++i) {
    place[i] = short(count);
    if (!live[i]) continue;
    node n = g.nodes[i];
    for (short& k : n.in)
      if (k >= 0) k = place[k];
    g.nodes[count++] = n;
  }
  g.count = count;
  for (int s = 0; s < g.input_count; ++s) g.inputs[s] = place[g.inputs[s]];
  for (int s = 0; s < g.output_count; ++s) g.outputs[s] = place[g.outputs[s]];
  if (g.memory >= 0) g.memory = place[g.memory];
}

}  // namespace detail

/// Applies every rule of the table wherever it matches, rule by rule in the order of the table.
template <std::size_t Rules>
constexpr graph fuse(graph g, const std::array<fusion, Rules>& table) {
  detail::remove_unused(g);
  for (const fusion& rule : table) {
    for (int i = 0; i < g.count; ++i) rule.apply(g, i);
    detail::remove_unused(g);
  }
  return g;
}

}  // namespace formwork
