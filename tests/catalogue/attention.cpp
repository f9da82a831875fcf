// Whole models with each variant of attention: gradients, learning, and decoding with a cache.
#include <formwork/model/check_model_gradient.hpp>
#include <formwork/policy/init/xavier.hpp>

#include <doctest/doctest.h>

#include "../support/ragged_batch.hpp"
#include "../support/user_model.hpp"

#include <tuple>

using namespace formwork;

namespace {

struct exact : config {
  static constexpr dims size{.d_model = 8, .d_ff = 10, .heads = 2, .encoder_layers = 2, .decoder_layers = 2};
  using activation = gelu;  // no kinks
  using precision = fp64;
};
template <class C>
struct tiny : C {
  static constexpr dims size{.d_model = 16,
                             .d_ff = 24,
                             .heads = 4,
                             .encoder_layers = 1,
                             .decoder_layers = 2,
                             .kv_heads = C::size.kv_heads};
};

struct with_rotary : exact {
  using position = rotary;
};
struct with_interleaved_rotary : exact {
  using position = interleaved_rotary;
};

struct with_alibi : exact {
  using position = alibi;
};
struct with_window : exact {
  static constexpr index_t window = 2;
};
struct with_cap : exact {
  static constexpr double logit_cap = 0.5;
};
struct grouped : exact {
  static constexpr dims size{
      .d_model = 8, .d_ff = 10, .heads = 4, .encoder_layers = 2, .decoder_layers = 2, .kv_heads = 2};
};
struct everything : grouped {
  using position = alibi;
  static constexpr index_t window = 3;
  static constexpr double logit_cap = 5;
};
struct grouped_rotary : grouped {
  using position = rotary;
  static constexpr index_t window = 3;
};
struct with_key_norm : grouped_rotary {
  using head_norm = query_key_norm<>;
};
struct with_value_norm : exact {
  using head_norm = query_key_value_norm<layer_norm>;
};

using variants = std::tuple<with_rotary, with_interleaved_rotary, with_alibi, with_window, with_cap, grouped,
                            everything, grouped_rotary, with_key_norm, with_value_norm>;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("attention: the gradients of an encoder-decoder with each variant", C, gradients) {
  const formwork_test::ragged_batch batch(
      {{{3, 4, 5, 6, 2}, {5, 4, 3}}, {{8, 2}, {6, 8, 6, 9, 4}}, {{2}, {}}});
  encoder_decoder<C> model({11, 11}, xavier_uniform{});
  cpu_backend backend(1);
  int checked = 0;
  for (const gradient_check& c : check_model_gradient(model, backend, batch.pairs())) {
    CAPTURE(c.name);
    CAPTURE(c.coarse);
    CAPTURE(c.fine);
    CHECK(c.passed());
    ++checked;
  }
  CHECK(checked == int(model.parameters().entries().size()));
}

TEST_CASE_TEMPLATE_APPLY(gradients, variants);

TEST_CASE_TEMPLATE_DEFINE("attention: each variant learns by heart and decodes with a cache as in one pass",
                          C, learning) {
  formwork_test::learns_by_heart<tiny<C>>();
}
TEST_CASE_TEMPLATE_APPLY(learning, variants);

TEST_CASE("attention: fewer heads of keys make the products and the cache narrower") {
  encoder_decoder<grouped> model({11, 11}, xavier_uniform{});
  for (const char* name : {"encoder.0.self_attention.key.weight", "decoder.1.cross_attention.value.weight"}) {
    const auto weight = model.parameters().value(name);
    CHECK((weight.rows == 4 && weight.width == 8));
  }
  const graph& layer = decoder_layer<grouped>::graph;
  for (int i = 0; i < layer.count; ++i)
    if (layer[i].op == &record_of<attention_op>) CHECK(layer[layer[i].in[1]].width == 4);
}
