#pragma once
#include <formwork/core/error.hpp>
#include <formwork/graph/graph.hpp>

#include <string>

namespace formwork {

/// A layer as a Graphviz picture: nodes are ops with their width, edges are values. Works for the table as
/// written and for the fused one. Draw it with: dot -Tsvg layer.dot > layer.svg
inline std::string dot_of(const graph& g, std::string_view name) {
  std::string out = text("digraph \"", name, "\" {\n  rankdir=BT; node [shape=box, fontname=Helvetica];\n");
  for (int i = 0; i < g.count; ++i) {
    const node& n = g[i];
    std::string label = n.is_input() ? std::string(n.name.view()) : std::string(n.op->name.view());
    if (!n.is_input() && !n.name.empty()) label += text("\\n", n.name);
    if (n.activation) label += text("\\n", n.activation->name);
    if (n.dropout != dropout_place::none) label += "\\ndropout";
    if (n.alpha != 1 && n.parameter[0] < 0) label += text("\\n", n.alpha);
    out += text("  n", i, " [label=\"", label, "\\n", n.rows == axis::source ? "source" : "target", " x ",
                n.width, "\"", n.is_input() ? ", style=rounded" : "", "];\n");
    for (int k = 0; k < operands::capacity; ++k)
      if (n.in[k] >= 0)
        out += text("  n", n.in[k], " -> n", i,
                    n.activation == nullptr && k == 1 && !n.is_input() && n.parameter[0] >= 0
                        ? " [label=residual]"
                        : "",
                    ";\n");
  }
  for (int s = 0; s < g.output_count; ++s)
    out += text("  out", s, " [label=\"stream ", s, "\", style=rounded];\n  n", g.outputs[s], " -> out", s,
                ";\n");
  return out + "}\n";
}

}  // namespace formwork
