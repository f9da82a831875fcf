// Every placement of the library in every kind of model.
#include <formwork/model/check_model_gradient.hpp>
#include <formwork/model/decoder.hpp>
#include <formwork/model/encoder.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/norm_placement/all.hpp>

#include <doctest/doctest.h>

#include "../support/ragged_batch.hpp"

using namespace formwork;

namespace {

template <class Placement>
struct exact : config {
  static constexpr dims size{.d_model = 6, .d_ff = 10, .heads = 2, .encoder_layers = 3, .decoder_layers = 2};
  using placement = Placement;
  using activation = gelu;
  using precision = fp64;
};

const formwork_test::ragged_batch& batch() {
  static const formwork_test::ragged_batch pairs(
      {{{3, 4, 5, 6, 2}, {5, 4, 3}}, {{8, 2}, {6, 8, 6, 9}}, {{7, 3, 2}, {}}});
  return pairs;
}

template <class Model, class Batch>
void gradients_pass(Model model, const Batch& pairs) {
  cpu_backend backend(1);
  int checked = 0;
  // A short step: a norm over the three columns of a head bends sharply where they are nearly equal.
  for (const gradient_check& c : check_model_gradient(model, backend, pairs, {}, 1, 1e-4)) {
    CAPTURE(c.name);
    CAPTURE(c.derivative);
    CAPTURE(c.coarse);
    CAPTURE(c.fine);
    // With so short a step the rounding of a sum of losses is above the check's own threshold.
    CHECK((c.passed() || c.fine < 1e-8 * (1 + std::abs(c.derivative))));
    ++checked;
  }
  CHECK(checked == int(model.parameters().entries().size()));
  CHECK(model.parameters().size() == Model::parameter_count(model.vocabulary()));
}

/// Calls f for every placement of the catalogue.
template <class F>
void each_placement(F f) {
  all_placements::each([&](auto placement) {
    using P = typename decltype(placement)::type;
    CAPTURE(label(P::name).view());
    f.template operator()<P>();
  });
}

}  // namespace

TEST_CASE("placements: the gradients of an encoder-decoder with each of them") {
  each_placement([]<class P> {
    gradients_pass(encoder_decoder<exact<P>>({11, 11}, xavier_uniform{}), batch().pairs());
  });
}

TEST_CASE("placements: the gradients of a decoder with each of them") {
  each_placement([]<class P> { gradients_pass(decoder<exact<P>>(11, xavier_uniform{}), batch().pairs()); });
}

TEST_CASE("placements: the gradients of an encoder with each of them") {
  const std::vector<token_t> positions{1, 5, 6, 9}, labels{4, 9, 2, 3};
  const masked_tokens masked{batch().source.data(), nullptr,       {batch().source_start.data(), 3},
                             positions.data(),      labels.data(), 4};
  each_placement([&]<class P> { gradients_pass(encoder<exact<P>>(11, xavier_uniform{}), masked); });
}
