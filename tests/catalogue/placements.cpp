// Every placement of the library in every kind of model.
#include <formwork/model/check_model_gradient.hpp>
#include <formwork/model/encoder_decoder.hpp>
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

template <class Model>
void gradients_pass(Model model) {
  cpu_backend backend(1);
  int checked = 0;
  for (const gradient_check& c : check_model_gradient(model, backend, batch().pairs())) {
    CAPTURE(c.name);
    CAPTURE(c.derivative);
    CAPTURE(c.coarse);
    CAPTURE(c.fine);
    CHECK(c.passed());
    ++checked;
  }
  CHECK(checked == int(model.parameters().entries().size()));
  CHECK(model.parameters().size() == Model::parameter_count(model.vocabulary()));
}

}  // namespace

TEST_CASE("placements: the gradients of an encoder-decoder with each of them") {
  all_placements::each([](auto placement) {
    using P = typename decltype(placement)::type;
    CAPTURE(label(P::name).view());
    gradients_pass(encoder_decoder<exact<P>>({11, 11}, xavier_uniform{}));
  });
}
