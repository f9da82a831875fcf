#include <formwork/model/cost.hpp>

#include <doctest/doctest.h>

#include <formwork/model/decoder.hpp>
#include <formwork/model/encoder.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/lion.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 2, .decoder_layers = 3};
};
struct deeper : tiny {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 7, .decoder_layers = 3};
};
struct untied : tiny {
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};
struct in_fp64 : tiny {
  using precision = fp64;
};
struct post : tiny {
  using placement = post_norm;
};
using cost = model_cost<encoder_decoder<tiny>>;
using language_cost = model_cost<decoder<tiny>>;
using masked_cost = model_cost<encoder<tiny>>;

constexpr double D = 8, F = 12, S = 10, T = 6, V = 11;

// A linear layer and its bias; a norm has a gain and a bias of each column.
constexpr index_t attention_parameters = 4 * (8 * 8 + 8), block_parameters = 8 * 12 + 12 + 12 * 8 + 8;
constexpr index_t norm_parameters = 2 * 8;
constexpr index_t encoder_layer_parameters = attention_parameters + block_parameters + 2 * norm_parameters;
constexpr index_t decoder_layer_parameters =
    2 * attention_parameters + block_parameters + 3 * norm_parameters;

}  // namespace

TEST_CASE("model_cost: parameters by hand, tied tables once") {
  static_assert(attention_parameters == 288 && block_parameters == 212 && norm_parameters == 16);
  static_assert(cost::parameters({11, 11}) == 11 * 8 + 2 * 532 + 3 * 836 + 2 * 16);
  static_assert(model_cost<encoder_decoder<untied>>::parameters({9, 11}) ==
                9 * 8 + 11 * 8 + 11 * 8 + 11 + 2 * 532 + 3 * 836 + 2 * 16);
  static_assert(language_cost::parameters(11) == 11 * 8 + 3 * 532 + 16);
  static_assert(model_cost<decoder<untied>>::parameters(11) == 2 * 11 * 8 + 11 + 3 * 532 + 16);
  // The head of an encoder transforms and normalises what is to be predicted.
  static_assert(masked_cost::parameters(11) == 11 * 8 + 2 * 532 + 16 + (8 * 8 + 8 + 16));
  static_assert(encoder_layer_parameters == 532 && decoder_layer_parameters == 836);
}

TEST_CASE("model_cost: what it says about parameters is what a model has") {
  const auto has = [](const auto& model, index_t expected) { CHECK(model.parameters().size() == expected); };
  has(encoder_decoder<untied>({9, 11}, [](auto&&...) { return 0.0; }),
      model_cost<encoder_decoder<untied>>::parameters({9, 11}));
  has(decoder<tiny>(11, [](auto&&...) { return 0.0; }), language_cost::parameters(11));
  has(encoder<tiny>(11, [](auto&&...) { return 0.0; }), masked_cost::parameters(11));
}

TEST_CASE("model_cost: operations by hand, a training step three forward passes") {
  // Norms 8 D, square products 2 D^2, feed-forward 2 D F twice, 4 D for each key; a last norm on each side
  // and dropout behind the embedding, D.
  constexpr double encoder = S * 9 * D + 2 * S * (16 * D + 8 * D * D + 4 * D * F + 4 * D * S);
  constexpr double decoder =
      T * 9 * D + 3 * (S * 4 * D * D + T * (24 * D + 12 * D * D + 4 * D * F + 4 * D * (T / 2 + S)));
  CHECK(cost::forward_flops(S, T, index_t(V)) == doctest::Approx((encoder + decoder) / T + 2 * D * V));
  CHECK(cost::training_flops(S, T, index_t(V)) == 3 * cost::forward_flops(S, T, index_t(V)));
}

TEST_CASE("model_cost: a decoder's operations by hand, a token sees half of the text on average") {
  static_assert(language_cost::forward_flops(0, T, 11) ==
                9 * D + 3 * (16 * D + 8 * D * D + 4 * D * F + 4 * D * T / 2) + 2 * D * V);
  static_assert(language_cost::forward_flops(1000, T, 11) == language_cost::forward_flops(0, T, 11));
  static_assert(language_cost::training_flops(0, T, 11) == 3 * language_cost::forward_flops(0, T, 11));
  // Post-norm has no last norm: a copy takes its place.
  static_assert(language_cost::forward_flops(0, T, 11) - model_cost<decoder<post>>::forward_flops(0, T, 11) ==
                8 * D - D);
}

TEST_CASE("model_cost: an encoder's operations by hand, the head for the predicted tokens only") {
  constexpr double layers = 9 * D + 2 * (16 * D + 8 * D * D + 4 * D * F + 4 * D * S);
  static_assert(masked_cost::forward_flops(S, 0, 11) == layers);
  static_assert(masked_cost::forward_flops(S, 5, 11) == layers + 0.5 * (2 * D * D + 8 * D + 2 * D * V));
  static_assert(masked_cost::training_flops(S, 5, 11) == 3 * masked_cost::forward_flops(S, 5, 11));
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

TEST_CASE("model_cost: memory of a decoder and an encoder, twice as much in fp64") {
  static_assert(language_cost::activation_bytes(0, 200) == 200 * language_cost::activation_bytes(0, 1));
  static_assert(language_cost::activation_bytes(77, 200) == language_cost::activation_bytes(0, 200));
  static_assert(model_cost<decoder<in_fp64>>::activation_bytes(0, 200) ==
                2 * language_cost::activation_bytes(0, 200));
  static_assert(masked_cost::activation_bytes(200, 30) ==
                200 * masked_cost::activation_bytes(1, 0) + 30 * masked_cost::activation_bytes(0, 1));
  static_assert(masked_cost::activation_bytes(1, 0) > 0 && masked_cost::activation_bytes(0, 1) > 0);
}

TEST_CASE("model_cost: what an optimizer keeps, by its moments") {
  constexpr index_t n = 88 + 1596 + 16;
  static_assert(language_cost::parameters(11) == n);
  static_assert(language_cost::optimizer_bytes<adamw>(11) == 2 * 4 * n);
  static_assert(language_cost::optimizer_bytes<lion>(11) == 4 * n);
  static_assert(language_cost::optimizer_bytes<plain_sgd>(11) == 0);
  static_assert(model_cost<decoder<in_fp64>>::optimizer_bytes<adamw>(11) == 2 * 8 * n);
  static_assert(language_cost::training_bytes<adamw>(11, 0, 200) ==
                4 * 4 * n + language_cost::activation_bytes(0, 200));
  static_assert(cost::training_bytes<lion>({11, 11}, 20, 30) ==
                cost::parameter_bytes({11, 11}, 1) + cost::activation_bytes(20, 30));
}
