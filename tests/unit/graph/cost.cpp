#include <formwork/graph/cost.hpp>

#include <doctest/doctest.h>

#include <formwork/graph/fuse.hpp>
#include <formwork/model/layers.hpp>

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};
constexpr double D = 8, F = 12;

}  // namespace

TEST_CASE("cost: an encoder layer by hand, two operations for a multiplication and an addition") {
  // Two norms of 8 D, four square products and two of the feed-forward block;
  // scores and sums of 2 D a key each.
  constexpr double products = 4 * 2 * D * D + 2 * 2 * D * F;
  constexpr layer_cost fused = cost_of(fuse(encoder_layer<tiny>::graph, standard_fusions));
  CHECK(fused.per_source == 2 * 8 * D + products);
  CHECK(fused.per_source_key == 4 * D);
  CHECK((fused.per_target == 0 && fused.per_target_key == 0));
  // As written there are besides: two residuals, two dropouts, the activation and its dropout.
  constexpr layer_cost written = cost_of(encoder_layer<tiny>::graph);
  CHECK(written.per_source == fused.per_source + 4 * D + 2 * F);
}

TEST_CASE("cost: a decoder layer works on both axes") {
  constexpr layer_cost c = cost_of(fuse(decoder_layer<tiny>::graph, standard_fusions));
  CHECK(c.per_source == 2 * 2 * D * D);  // keys and values of the encoder's result
  CHECK(c.per_target == 3 * 8 * D + 6 * 2 * D * D + 2 * 2 * D * F);
  CHECK((c.per_target_key == 2 * 4 * D && c.per_source_key == 0));
}
