#include <formwork/graph/dot.hpp>

#include <doctest/doctest.h>

#include <formwork/graph/fuse.hpp>
#include <formwork/ops/add.hpp>
#include <formwork/ops/elementwise.hpp>
#include <formwork/ops/fusions.hpp>
#include <formwork/policy/activation/activation.hpp>

using namespace formwork;

namespace {

constexpr graph written = [] {
  graph g{};
  const expr x = stream_input(g, 8, axis::target);
  const expr y = 0.5 * x + ops::apply(relu{}, ops::linear(x, 8, "up", role::up));
  g.outputs[g.output_count++] = y.id;
  return g;
}();

}  // namespace

TEST_CASE("dot: a layer as it is written") {
  CHECK(dot_of(written, "layer") ==
        "digraph \"layer\" {\n"
        "  rankdir=BT; node [shape=box, fontname=Helvetica];\n"
        "  n0 [label=\"stream\\ntarget x 8\", style=rounded];\n"
        "  n1 [label=\"scale\\n0.5\\ntarget x 8\"];\n"
        "  n0 -> n1;\n"
        "  n2 [label=\"linear\\nup\\ntarget x 8\"];\n"
        "  n0 -> n2;\n"
        "  n3 [label=\"relu\\ntarget x 8\"];\n"
        "  n2 -> n3;\n"
        "  n4 [label=\"add\\ntarget x 8\"];\n"
        "  n1 -> n4;\n"
        "  n3 -> n4;\n"
        "  out0 [label=\"stream 0\", style=rounded];\n"
        "  n4 -> out0;\n"
        "}\n");
}

TEST_CASE("dot: a fused product names its activation and its residual") {
  const graph g = [] {
    graph g{};
    const expr x = stream_input(g, 8, axis::source);
    const expr h = ops::apply(relu{}, ops::linear(x, 12, "up", role::up));
    g.outputs[g.output_count++] = (x + ops::linear(h, 8, "down", role::down)).id;
    return fuse(g, standard_fusions);
  }();
  const std::string s = dot_of(g, "ffn");
  CHECK(s.find("[label=\"linear\\nup\\nrelu\\nsource x 12\"]") != s.npos);
  CHECK(s.find("  n0 -> n2 [label=residual];\n") != s.npos);
}
