// Whole layers and their parts against PyTorch in double precision: results and every gradient. Their batches
// are padded, ours are not: the padded rows are left out.
#include <doctest/doctest.h>

#include <formwork/model/layer_run.hpp>
#include <formwork/model/layers.hpp>

#include "../support/torch_reference.hpp"

using namespace formwork;
using formwork_test::torch_place_of;
using formwork_test::torch_reference;

namespace {

constexpr double tolerance = 1e-9;

struct small : config {
  static constexpr dims size{.d_model = 16, .d_ff = 32, .heads = 4, .encoder_layers = 1, .decoder_layers = 1};
};
struct small_post : small {
  using placement = post_norm;
};

struct norm_alone {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    detail::set_outputs(g, std::array{ops::layer_norm(stream_input(g, 16, axis::source), "norm", 1e-5)});
    return g;
  }();
};
struct causal_attention {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    detail::set_outputs(
        g, std::array{sublayers<small>::self_attention(stream_input(g, 16, axis::source), true)});
    return g;
  }();
};
struct cross_attention {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr x = stream_input(g, 16, axis::target);
    detail::set_outputs(g, std::array{sublayers<small>::cross_attention(x, memory_input(g, 16))});
    return g;
  }();
};

void copy(const std::vector<double>& from, matrix_view<double> to) {
  REQUIRE(index_t(from.size()) == to.rows * to.width);
  std::copy(from.begin(), from.end(), to.data);
}

/// Names of a file's tensors: they differ between single modules and whole layers.
struct names {
  std::string x = "x", y = "y", dy = "dy", dx = "dx", memory = "memory", d_memory = "dmemory";
  std::string module{};  ///< left out of the parameters' names
};

/// Runs a layer with the file's inputs and parameters forward and backward and compares everything.
template <class Layer>
void compare(const torch_reference& file, const std::vector<index_t>& source,
             const std::vector<index_t>& target, bool decoder, const names& n = {}) {
  layer_run<Layer> run(source, target);
  const bool reads_memory = run.table.memory >= 0;
  const auto& own = reads_memory ? target : source;
  const auto place_of = [&](const std::string& name) {
    auto at = torch_place_of(name, decoder);
    if (at.tensor.starts_with(n.module)) at.tensor.erase(0, n.module.size());
    return at;
  };
  parameter_store<double>& store = run.parameters();
  for (std::size_t i = 0; i < store.entries().size(); ++i)
    file.copy(place_of(store.entries()[i].name), "param.", store.value(i));
  copy(file.rows(n.x, own), run.input(0));
  if (reads_memory) copy(file.rows(n.memory, source), run.memory());
  run.forward();
  CHECK(torch_reference::error(run.output(0).data, file.rows(n.y, own)) < tolerance);
  copy(file.rows(n.dy, own), run.gradient(0));
  run.backward();
  CHECK(torch_reference::error(run.gradient(0).data, file.rows(n.dx, own)) < tolerance);
  if (reads_memory)
    CHECK(torch_reference::error(run.d_memory().data, file.rows(n.d_memory, source)) < tolerance);
  for (std::size_t i = 0; i < store.entries().size(); ++i) {
    CAPTURE(store.entries()[i].name);
    CHECK(file.error(place_of(store.entries()[i].name), "grad.", store.gradient(i)) < tolerance);
  }
}

}  // namespace

TEST_CASE("layers: layer norm equals PyTorch's, gradients included") {
  const torch_reference file("layer_norm");
  const std::vector<index_t> lengths{7, 7, 7};
  layer_run<norm_alone> run(lengths, {});
  copy(file.values("weight"), run.parameters().value("norm.gain"));
  copy(file.values("bias"), run.parameters().value("norm.bias"));
  copy(file.rows("x", lengths), run.input(0));
  run.forward();
  CHECK(torch_reference::error(run.output(0).data, file.rows("y", lengths)) < tolerance);
  copy(file.rows("dy", lengths), run.gradient(0));
  run.backward();
  CHECK(torch_reference::error(run.gradient(0).data, file.rows("dx", lengths)) < tolerance);
  CHECK(torch_reference::error(run.parameters().gradient("norm.gain").data, file.values("dweight")) <
        tolerance);
  CHECK(torch_reference::error(run.parameters().gradient("norm.bias").data, file.values("dbias")) <
        tolerance);
}

TEST_CASE("layers: causal self-attention equals PyTorch's") {
  compare<causal_attention>(torch_reference("attention_self_causal"), {6, 6, 6}, {}, false,
                            {.y = "output", .dy = "d_output", .dx = "d_x", .module = "self_attn."});
}

TEST_CASE("layers: cross-attention to ragged keys equals PyTorch's with a padding mask") {
  const torch_reference file("attention_cross_padded");
  const auto source = file.lengths("key_padding_mask");
  CHECK(*std::min_element(source.begin(), source.end()) < 7);
  compare<cross_attention>(file, source, {6, 6, 6}, true,
                           {.x = "query",
                            .y = "output",
                            .dy = "d_output",
                            .dx = "d_query",
                            .memory = "key_value",
                            .d_memory = "d_key_value",
                            .module = "multihead_attn."});
}

TEST_CASE("layers: encoder layers equal PyTorch's") {
  const torch_reference post("encoder_layer.post_ln"), pre("encoder_layer.pre_ln");
  compare<encoder_layer<small_post>>(post, post.lengths("key_padding_mask"), {}, false);
  compare<encoder_layer<small>>(pre, pre.lengths("key_padding_mask"), {}, false);
}

TEST_CASE("layers: decoder layers equal PyTorch's") {
  const torch_reference post("decoder_layer.post_ln"), pre("decoder_layer.pre_ln");
  compare<decoder_layer<small_post>>(post, post.lengths("memory_key_padding_mask"), {6, 6, 6}, true);
  compare<decoder_layer<small>>(pre, pre.lengths("memory_key_padding_mask"), {6, 6, 6}, true);
}
