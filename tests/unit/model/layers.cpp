#include <formwork/model/layers.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 4, .d_ff = 6, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};
template <tying Ties>
struct tied : tiny {
  static constexpr tying ties = Ties;
};
struct tiny_post : tiny {
  using placement = post_norm;
};

/// A placement whose equation is that of the whole layer: first Norms norms of different values.
template <int Norms>
struct many_norms {
  static constexpr label name = "many_norms";
  static constexpr bool final_norm = true;
  static constexpr int streams = 1;
  static constexpr std::array<expr, 1> layer(std::array<expr, 1> s, auto norm, auto... f) {
    expr x = norm(s[0]);
    for (int i = 1; i < Norms; ++i) x = norm(x);
    ((x = x + f(x)), ...);
    return {norm(s[0]) + x};  // the first norm again
  }
};
template <int Norms>
struct tiny_many : tiny {
  using placement = many_norms<Norms>;
};

std::string names(const graph& g) {
  std::string out;
  for (int i = 0; i < g.parameter_count; ++i) {
    const parameter& p = g.parameters[i];
    out += std::string(p.name.view()) + " " + std::to_string(p.rows) + "x" + std::to_string(p.columns) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("layers: names and shapes of a decoder layer's parameters") {
  CHECK(names(decoder_layer<tiny>::graph) ==
        "self_attention.norm.gain 4x1\nself_attention.norm.bias 4x1\n"
        "self_attention.query.weight 4x4\nself_attention.query.bias 4x1\n"
        "self_attention.key.weight 4x4\nself_attention.key.bias 4x1\n"
        "self_attention.value.weight 4x4\nself_attention.value.bias 4x1\n"
        "self_attention.output.weight 4x4\nself_attention.output.bias 4x1\n"
        "cross_attention.norm.gain 4x1\ncross_attention.norm.bias 4x1\n"
        "cross_attention.query.weight 4x4\ncross_attention.query.bias 4x1\n"
        "cross_attention.key.weight 4x4\ncross_attention.key.bias 4x1\n"
        "cross_attention.value.weight 4x4\ncross_attention.value.bias 4x1\n"
        "cross_attention.output.weight 4x4\ncross_attention.output.bias 4x1\n"
        "ffn.norm.gain 4x1\nffn.norm.bias 4x1\n"
        "ffn.up.weight 6x4\nffn.up.bias 6x1\nffn.down.weight 4x6\nffn.down.bias 4x1\n");
  CHECK(decoder_layer<tiny>::graph.memory >= 0);
  CHECK(encoder_layer<tiny>::graph.memory < 0);
}

TEST_CASE("layers: the encoder attends to everything, the decoder to what it has said and to the source") {
  const auto attentions = [](const graph& g) {
    std::string out;
    for (int i = 0; i < g.count; ++i)
      if (g[i].op == &record_of<attention_op>)
        out += std::string(g[i].causal ? "causal " : "whole ") +
               (g[g[i].in[1]].rows == axis::source ? "source;" : "target;");
    return out;
  };
  CHECK(attentions(encoder_layer<tiny>::graph) == "whole source;");
  CHECK(attentions(decoder_layer<tiny>::graph) == "causal target;whole source;");
}

TEST_CASE("layers: which token tables are one") {
  const auto three = []<class C>(C) {
    return names(embedding_layer<C, axis::source>::graph) + names(embedding_layer<C, axis::target>::graph) +
           names(output_layer<C>::graph);
  };
  CHECK(three(tied<tying::all>{}) == "embedding.weight -1x4\nembedding.weight -2x4\nembedding.weight -2x4\n");
  CHECK(three(tied<tying::output>{}) ==
        "source_embedding.weight -1x4\ntarget_embedding.weight -2x4\ntarget_embedding.weight -2x4\n");
  CHECK(three(tied<tying::none>{}) ==
        "source_embedding.weight -1x4\ntarget_embedding.weight -2x4\nhead.weight -2x4\n");
}

TEST_CASE(
    "layers: embeddings are scaled by the root of the width; a last norm only where the placement has one") {
  double scale = 0;
  const graph& g = embedding_layer<tiny, axis::source>::graph;
  for (int i = 0; i < g.count; ++i)
    if (g[i].op == &record_of<embedding_op>) scale = g[i].alpha;
  CHECK(scale == 2);
  CHECK(names(final_layer<tiny, axis::source>::graph) == "norm.gain 4x1\nnorm.bias 4x1\n");
  CHECK(names(final_layer<tiny_post, axis::source>::graph) == "");
}

TEST_CASE("layers: norms of an equation of the whole layer have names and numbers of their own") {
  const std::string all = names(decoder_layer<tiny_many<24>>::graph);
  CHECK(all.starts_with("norm.gain 4x1\nnorm.bias 4x1\nnorm2.gain 4x1\nnorm2.bias 4x1\nnorm3.gain"));
  for (const char* name : {"\nnorm9.gain", "\nnorm10.gain", "\nnorm20.gain", "\nnorm24.bias"})
    CHECK(all.find(name) != std::string::npos);
  CHECK(all.find("norm25") == std::string::npos);
  CHECK(all.find(".norm") == std::string::npos);
  graph g{};
  const std::array x{stream_input(g, 4, axis::source)};
  CHECK_THROWS_WITH(
      detail::place_sublayers<tiny_many<25>>(x, {sublayer::feed_forward}, [](expr y) { return y; }),
      "norm placement: an equation has more than 24 norms");
}

TEST_CASE("layers: a copy for a stream that leaves must have room in the table") {
  graph g{};
  const expr x = stream_input(g, 4, axis::source);
  for (expr y = x; g.count < graph::max_nodes;) y = 2.0 * y;
  CHECK_THROWS_WITH(detail::set_outputs(g, std::array{x}),
                    "graph: a layer has more nodes than graph::max_nodes");
}

TEST_CASE("layers: a stream that leaves has memory of its own") {
  graph g{};
  const expr x = stream_input(g, 4, axis::source), y = 2.0 * x;
  detail::set_outputs(g, std::array{x, y, y});
  CHECK((g[g.outputs[0]].op == &record_of<scale_op> && g[g.outputs[0]].alpha == 1));
  CHECK(g.outputs[1] == y.id);
  CHECK((g.outputs[2] != y.id && g[g.outputs[2]].in[0] == y.id));
}
