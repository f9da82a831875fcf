#pragma once
#include <formwork/graph/graph.hpp>
#include <formwork/graph/plan.hpp>

namespace formwork {

/// Which memory a value or a gradient lies in.
enum class region : std::uint8_t {
  none,
  stream,   ///< what flows between layers: the layer's inputs, and all its stream gradients
  memory,   ///< the encoder's result and its gradient
  kept,     ///< one block a layer, alive from the forward to the backward pass
  scratch,  ///< shared by all layers
};

/// A matrix in one of the regions: element (r, c) is at offset + r * stride + column + c.
struct location {
  region where = region::none;
  short stream = -1;
  extent offset{};
  index_t stride = 0;
  index_t column = 0;
};

/// The extent of `width` numbers for each row of an axis.
constexpr extent extent_of(axis rows, index_t width) {
  return rows == axis::source ? extent{.source = width} : extent{.target = width};
}

/// Follows views to the node that owns the memory.
constexpr int owner_of(const graph& g, int i) {
  while (g[i].op && g[i].op->view) i = g[i].in[0];
  return i;
}

/// First column of node i inside its owner.
constexpr index_t column_of(const graph& g, int i) {
  index_t column = 0;
  for (; g[i].op && g[i].op->view; i = g[i].in[0]) column += g[i].column;
  return column;
}

/// Where every value of a layer lies.
struct value_layout {
  location value[graph::max_nodes]{};
  location saved[graph::max_nodes]{};
  extent kept{};     ///< room a layer needs from its forward to its backward pass
  extent scratch{};  ///< room for values that die within the forward pass
};

namespace detail {

/// Owners whose value the backward pass reads or the next layer receives.
constexpr void mark_kept(const graph& g, bool (&keep)[graph::max_nodes]) {
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) continue;
    const backward_reads reads = g[i].op->reads(g[i]);
    for (int k = 0; k < operands::capacity; ++k)
      if (g[i].in[k] >= 0 && (reads.inputs >> k & 1)) keep[owner_of(g, g[i].in[k])] = true;
    if (reads.output) keep[owner_of(g, i)] = true;
  }
  for (int s = 0; s < g.output_count; ++s) keep[owner_of(g, g.outputs[s])] = true;
}

constexpr location input_location(const graph& g, int i) {
  if (g.memory == i) return {.where = region::memory, .stride = g[i].width};
  for (short s = 0; s < g.input_count; ++s)
    if (g.inputs[s] == i) return {.where = region::stream, .stream = s, .stride = g[i].width};
  throw "graph: an input that is neither a stream nor the memory";
}

/// A view lies where its owner lies.
constexpr void locate_views(const graph& g, value_layout& layout) {
  for (int i = 0; i < g.count; ++i) {
    if (owner_of(g, i) == i) continue;
    layout.value[i] = layout.value[owner_of(g, i)];
    layout.value[i].column = column_of(g, i);
  }
}

}  // namespace detail

/// Plans the memory of the forward pass. What the backward pass reads is kept,
/// everything else shares scratch room by lifetime.
constexpr value_layout plan_values(const graph& g) {
  value_layout out;
  bool keep[graph::max_nodes]{};
  detail::mark_kept(g, keep);
  planned_buffer buffers[graph::max_nodes]{};
  for (int i = 0; i < g.count; ++i) {
    const int owner = owner_of(g, i);
    if (!g[i].is_input() && owner == i) buffers[i].first = buffers[i].last = i;
    for (short k : g[i].in)
      if (k >= 0) buffers[owner_of(g, k)].last = i;
  }
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) {
      out.value[i] = detail::input_location(g, i);
      buffers[i] = {};
    } else if (owner_of(g, i) == i) {
      buffers[i].size = extent_of(g[i].rows, g[i].width);
      if (keep[i]) {
        out.value[i] = {.where = region::kept, .offset = out.kept, .stride = g[i].width};
        out.kept = out.kept + buffers[i].size;
        buffers[i] = {};
      }
    }
    if (const index_t width = g[i].is_input() ? 0 : g[i].op->saved_width(g[i])) {
      out.saved[i] = {.where = region::kept, .offset = out.kept, .stride = width};
      out.kept = out.kept + extent_of(g[i].rows, width);
    }
  }
  out.scratch = place(buffers, g.count);
  for (int i = 0; i < g.count; ++i)
    if (owner_of(g, i) == i && buffers[i].needed())
      out.value[i] = {.where = region::scratch, .offset = buffers[i].offset, .stride = g[i].width};
  detail::locate_views(g, out);
  return out;
}

/// True for the nodes that depend on nothing but the encoder's result:
/// while a translation grows they never change.
struct fixed_nodes {
  bool is_fixed[graph::max_nodes]{};
};
constexpr fixed_nodes find_fixed(const graph& g) {
  fixed_nodes out;
  for (int i = 0; i < g.count; ++i) {
    bool any = false, all = true;
    for (short k : g[i].in) {
      if (k < 0) continue;
      any = true;
      all = all && (k == g.memory || out.is_fixed[k]);
    }
    out.is_fixed[i] = any && all;
  }
  return out;
}

namespace detail {

/// A translation that grows is one row of the target axis and its earlier rows are gone: an op that needs
/// them cannot run (causal attention finds them in its cache).
constexpr void check_step(const graph& g, const fixed_nodes& fixed) {
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) continue;
    const unsigned mixes = g[i].op->mixes_rows(g[i]);
    for (int k = 0; k < operands::capacity; ++k)
      if (const int m = g[i].in[k];
          (mixes >> k & 1) && m >= 0 && m != g.memory && !fixed.is_fixed[m] && g[m].rows == axis::target)
        throw "decoding: an op mixes rows of the target; only causal attention may";
  }
}

}  // namespace detail

/// Plans the memory of a step that adds one token to each of some translations: fixed values are kept layer
/// by layer, all others lie side by side in scratch.
/// Error: an op that is not fixed mixes rows of the target. Training needs no such plan and may do so.
constexpr value_layout plan_step(const graph& g) {
  value_layout out;
  const fixed_nodes fixed = find_fixed(g);
  detail::check_step(g, fixed);
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) {
      out.value[i] = detail::input_location(g, i);
      continue;
    }
    extent& end = fixed.is_fixed[i] ? out.kept : out.scratch;
    const region where = fixed.is_fixed[i] ? region::kept : region::scratch;
    const auto take = [&](index_t width) {
      const location at{.where = where, .offset = end, .stride = width};
      end = end + extent_of(g[i].rows, width);
      return at;
    };
    if (owner_of(g, i) == i) out.value[i] = take(g[i].width);
    if (const index_t width = g[i].op->saved_width(g[i])) out.saved[i] = take(width);
  }
  detail::locate_views(g, out);
  return out;
}

}  // namespace formwork
