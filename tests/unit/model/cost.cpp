#include <formwork/model/cost.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 2, .decoder_layers = 3};
};
struct deeper : tiny {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 7, .decoder_layers = 3};
};
using cost = model_cost<encoder_decoder<tiny>>;

constexpr double D = 8, F = 12, S = 10, T = 6, V = 11;

}  // namespace

TEST_CASE("model_cost: operations by hand, a training step three forward passes") {
  constexpr double encoder = 2 * S * (16 * D + 8 * D * D + 4 * D * F + 4 * D * S);
  constexpr double decoder =
      3 * (S * 4 * D * D + T * (24 * D + 12 * D * D + 4 * D * F + 4 * D * (T / 2 + S)));
  CHECK(cost::forward_flops(S, T, index_t(V)) == doctest::Approx((encoder + decoder) / T + 2 * D * V));
  CHECK(cost::training_flops(S, T, index_t(V)) == 3 * cost::forward_flops(S, T, index_t(V)));
}

TEST_CASE("model_cost: memory grows in proportion to the tokens, by one layer's kept values a layer") {
  using model = encoder_decoder<tiny>;
  static_assert(cost::activation_bytes(200, 100) == 100 * cost::activation_bytes(2, 1));
  static_assert(model_cost<encoder_decoder<deeper>>::activation_bytes(1000, 700) -
                    cost::activation_bytes(1000, 700) ==
                5 * 4 * model::encoder_tower::lower_layer::values.kept.at(1000, 700));
  static_assert(cost::parameter_bytes({11, 11}, 2) == 4 * 4 * model::parameter_count({11, 11}));
  CHECK(cost::activation_bytes(0, 0) == 0);
}
