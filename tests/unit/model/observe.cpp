#include <formwork/model/observe.hpp>

#include <doctest/doctest.h>

#include <formwork/model/decoder.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/norm_placement/mix_norm.hpp>
#include <formwork/policy/norm_placement/whole_layer.hpp>

#include "../../support/ragged_batch.hpp"
#include "../../support/small_model.hpp"

using namespace formwork;
using doctest::Approx;

namespace {

const formwork_test::ragged_batch& batch() {
  static const formwork_test::ragged_batch pairs({{{3, 4, 5, 6, 2}, {5, 4, 3}}, {{8, 2}, {6, 8, 6, 9}}});
  return pairs;
}

}  // namespace

TEST_CASE("observer: shows every sub-layer in order; the state behind a Post-LN sub-layer is normalised") {
  auto model = formwork_test::small_model<post_norm>(3);
  cpu_backend backend(1);
  observer<decltype(model)> seen(model);
  const auto figures = seen.figures(backend, batch().pairs());
  REQUIRE(figures.size() == 7);
  CHECK((figures[3].stack == stack_kind::encoder && figures[3].layer == 1 &&
         figures[3].part == sublayer::feed_forward));
  CHECK((figures[5].stack == stack_kind::decoder && figures[5].layer == 0 &&
         figures[5].part == sublayer::cross_attention));
  for (const sublayer_figures& f : figures) {
    CHECK(f.mean_square == Approx(1).epsilon(1e-3));
    CHECK(f.variance == Approx(1).epsilon(1e-3));
  }
}

TEST_CASE("observer: the twin's loss is the model's, and follows its parameters") {
  auto model = formwork_test::small_model<mix_norm>(3);
  cpu_backend backend(1);
  observer<decltype(model)> seen(model);
  const double before = model.evaluate(backend, batch().pairs(), {}).loss;
  CHECK(seen.twin().evaluate(backend, batch().pairs(), {}).loss == Approx(before).epsilon(1e-6));
  model.parameters().value("encoder.1.ffn.up.weight").data[3] += 1;
  seen.copy_from(model);
  const double after = model.evaluate(backend, batch().pairs(), {}).loss;
  CHECK(after != before);
  CHECK(seen.twin().evaluate(backend, batch().pairs(), {}).loss == Approx(after).epsilon(1e-6));
}

TEST_CASE("observer: branches of a whole layer's equation and of a decoder alone") {
  struct parallel : formwork_test::small_config<parallel_block> {};
  decoder<parallel> model(11, xavier_uniform{});
  cpu_backend backend(1);
  const auto figures = observer<decltype(model), tap::branch>(model).figures(backend, batch().pairs());
  REQUIRE(figures.size() == 2);
  CHECK(figures[1].part == sublayer::feed_forward);
  for (const sublayer_figures& f : figures) {
    CHECK(f.mean_square > 0.01);
    CHECK(f.mean_square < 10);
  }
}
