#include <formwork/graph/layout.hpp>

#include <doctest/doctest.h>

#include <formwork/graph/fuse.hpp>
#include <formwork/model/layers.hpp>

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};
struct tiny_gelu : tiny {
  using activation = gelu;
};
constexpr graph encoder = fuse(encoder_layer<tiny>::graph, standard_fusions),
                decoder = fuse(decoder_layer<tiny>::graph, standard_fusions),
                smooth = fuse(encoder_layer<tiny_gelu>::graph, standard_fusions);

}  // namespace

TEST_CASE("layout: of a pre-norm layer everything is kept that the backward pass reads, each thing once") {
  // Norm 8 + 2 saved, joint product 24, attention 8 + one number a head, residual 8;
  // norm 8 + 2, up 12, down 8.
  CHECK(plan_values(encoder).kept == extent{.source = 82});
  CHECK(plan_values(encoder).scratch == extent{});
  CHECK(plan_values(smooth).kept == extent{.source = 82 + 12});  // gelu's slope needs its argument
}

TEST_CASE("layout: a value that no backward kernel reads lies in scratch, and room there is used again") {
  static constexpr graph g = [] {
    graph g{};
    const expr x = stream_input(g, 8, axis::target);
    expr y = x;
    for (int i = 0; i < 5; ++i) y = 2.0 * y;
    const expr z = ops::linear(y, 3, "f", role::up);
    detail::set_outputs(g, std::array{z});
    return g;
  }();
  constexpr value_layout p = plan_values(g);
  CHECK(p.kept == extent{.target = 8 + 3});  // the operand of the product and the output
  CHECK(p.scratch == extent{.target = 16});  // two of the four others at a time
  CHECK(p.value[1].where == region::scratch);
  CHECK(p.value[5].where == region::kept);
  CHECK(p.value[0].where == region::stream);
}

TEST_CASE("layout: views lie in their owner") {
  constexpr value_layout p = plan_values(encoder);
  int views = 0;
  for (int i = 0; i < encoder.count; ++i) {
    if (owner_of(encoder, i) == i) continue;
    CHECK(p.value[i].offset == p.value[owner_of(encoder, i)].offset);
    CHECK((p.value[i].stride == 24 && p.value[i].column == 8 * views++));
  }
  CHECK(views == 3);
}

TEST_CASE(
    "layout: while a translation grows, what depends on the source alone is kept, all else is scratch") {
  constexpr value_layout p = plan_step(decoder);
  CHECK(p.kept == extent{.source = 16});  // keys and values of cross-attention
  CHECK((p.scratch.source == 0 && p.scratch.target > 0));
  for (int i = 0; i < decoder.count; ++i)
    if (!decoder[i].is_input()) CHECK((p.value[i].where == region::kept) == find_fixed(decoder).is_fixed[i]);
}

TEST_CASE("layout: a step is planned for layers whose ops find every row they need") {
  CHECK_NOTHROW(plan_step(decoder));
  CHECK_NOTHROW(plan_step(encoder));  // its rows are all there
  const auto attend = [](bool causal, bool to_memory, bool from_memory) {
    graph g{};
    const expr x = stream_input(g, 8, axis::target), m = 2.0 * memory_input(g, 8);
    const expr keys = to_memory ? m : x;
    detail::set_outputs(g, std::array{ops::attention(from_memory ? m : x, keys, keys, 2, causal)});
    return g;
  };
  const char* sentence = "decoding: an op mixes rows of the target; only causal attention may";
  CHECK_NOTHROW(plan_step(attend(true, false, false)));
  CHECK_NOTHROW(plan_step(attend(false, true, false)));
  CHECK_NOTHROW(plan_step(attend(false, true, true)));
  CHECK_THROWS_WITH(plan_step(attend(false, false, false)), sentence);
  CHECK_THROWS_WITH(plan_step(attend(false, false, true)), sentence);
}
