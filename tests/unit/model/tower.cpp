#include <formwork/model/tower.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/norm_placement/mix_norm.hpp>
#include <formwork/policy/optimizer/groups.hpp>

#include "../../support/user_model.hpp"

using namespace formwork;

namespace {

struct mixed : config {
  static constexpr dims size{.d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 5, .decoder_layers = 3};
  using placement = mix_norm;
};
struct four : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 3, .decoder_layers = 2};
};
using encoder_side = encoder_decoder<mixed>::encoder_tower;
using decoder_side = encoder_decoder<mixed>::decoder_tower;

}  // namespace

TEST_CASE("tower: a placement with two sections gives each layer the parameters of its own section") {
  static_assert(encoder_side::split == 2 && encoder_side::depth == 5);
  static_assert(decoder_side::split == 1 && decoder_side::depth == 3);
  const encoder_decoder<mixed> model({12, 12}, xavier_uniform{}, 1);
  CHECK(model.parameters().size() == encoder_decoder<mixed>::parameter_count({12, 12}));
  // Both kinds have one norm for each branch; what differs is the equation.
  CHECK(encoder_side::lower_layer::graph.count == encoder_side::upper_layer::graph.count);
  CHECK(encoder_side::lower_layer::graph.nodes[encoder_side::lower_layer::graph.outputs[0]].op ==
        &record_of<layer_norm_op>);
  CHECK(encoder_side::upper_layer::graph.nodes[encoder_side::upper_layer::graph.outputs[0]].op ==
        &record_of<linear_op>);
  for (int l = 0; l < 5; ++l)
    model.encoder().layers().at(l, [&](auto program) {
      CHECK(std::is_same_v<decltype(program), encoder_side::lower_layer> == (l < 2));
    });
}

TEST_CASE("tower: a model of two sections learns and translates") { formwork_test::learns_by_heart<mixed>(); }

TEST_CASE("tower: dropout sites and memory are those of all its layers") {
  using side = encoder_decoder<four>::encoder_tower;
  static_assert(side::sites == 5u * std::uint32_t(graph::max_nodes));
  static_assert(side::kept == side::embedding::values.kept + 3 * side::lower_layer::values.kept +
                                  side::end::values.kept);
  static_assert(side::gradient_room == extent{.source = 8});
  CHECK(never_above(side::lower_layer::scratch, side::scratch));
}

TEST_CASE("tower: the norm behind a stack belongs to its top layer, in the rates of a fine-tuning too") {
  const encoder_decoder<four> model({12, 12}, xavier_uniform{}, 1);  // Pre-LN
  int found = 0;
  for (const parameter_entry& e : model.parameters().entries()) {
    const bool encoder = e.name == "encoder.norm.gain", decoder = e.name == "decoder.norm.gain";
    if (!encoder && !decoder) continue;
    ++found;
    CHECK(e.info.layer == (encoder ? 2 : 1));
    update_info u{.lr = 1, .parameter = e.info};
    layer_decay{.factor = 0.5}(u);
    CHECK(u.lr == 1);
  }
  CHECK(found == 2);
}
