// Whole models with each variant of attention: gradients, learning, and decoding with a cache.
#include <formwork/model/check_model_gradient.hpp>
#include <formwork/policy/init/xavier.hpp>

#include <doctest/doctest.h>

#include "../support/ragged_batch.hpp"
#include "../support/user_model.hpp"

using namespace formwork;

namespace {

struct exact : config {
  static constexpr dims size{.d_model = 8, .d_ff = 10, .heads = 2, .encoder_layers = 2, .decoder_layers = 2};
  using activation = gelu;  // no kinks
  using precision = fp64;
};
template <class C>
struct tiny : C {
  static constexpr dims size{.d_model = 16, .d_ff = 24, .heads = 4, .encoder_layers = 1, .decoder_layers = 2};
};

struct with_rotary : exact {
  using position = rotary;
};
struct with_interleaved_rotary : exact {
  using position = interleaved_rotary;
};

}  // namespace

#define EACH_VARIANT with_rotary, with_interleaved_rotary

TEST_CASE_TEMPLATE("attention: the gradients of an encoder-decoder with each variant", C, EACH_VARIANT) {
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

TEST_CASE_TEMPLATE("attention: each variant learns by heart and decodes with a cache as in one pass", C,
                   EACH_VARIANT) {
  formwork_test::learns_by_heart<tiny<C>>();
}
