// A small encoder-decoder against tests/golden/transformer.py: logits, loss, some gradients, five updates.
#include <formwork/model/encoder_decoder.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/updater.hpp>

#include "../../support/ragged_batch.hpp"

using namespace formwork;

namespace {

struct golden_value {
  std::string_view placement, what;
  index_t index;
  double value;
};
constexpr golden_value golden[] = {
#include "../../golden/transformer.txt"
};

struct golden_pre : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 2, .decoder_layers = 2};
  using precision = fp64;
};
struct golden_post : golden_pre {
  using placement = post_norm;
};

/// The starting values of transformer.py.
void start(parameter_store<double>& store) {
  for (const parameter_entry& e : store.entries()) {
    index_t seed = 0, place = 0;
    for (const char c : e.name) seed += ++place * index_t(c);
    for (index_t i = 0; i < e.info.size(); ++i)
      store.values()[e.offset + i] =
          (e.name.ends_with(".gain") ? 1 : 0) + double((seed + 37 * i + 5 * i * i) % 101 - 50) / 256;
  }
}

/// Compares values with the lines of this name; returns how many there were.
template <class C>
int compare(const std::string& what, const double* found) {
  CAPTURE(what);
  int lines = 0;
  for (const golden_value& g : golden) {
    if (g.placement != label(C::placement::name).view() || g.what != what) continue;
    CHECK(found[g.index] == doctest::Approx(g.value).epsilon(1e-11).scale(0.01));
    ++lines;
  }
  return lines;
}

}  // namespace

TEST_CASE_TEMPLATE("golden: probabilities, loss, gradients and five updates equal the plain computation", C,
                   golden_post, golden_pre) {
  encoder_decoder<C> model({11, 11}, [](auto&&...) { return 0.0; });
  parameter_store<double>& store = model.parameters();
  start(store);
  cpu_backend backend(1);
  const double size = double(store.size());
  CHECK(compare<C>("parameters", &size) == 1);
  const formwork_test::ragged_batch batch(
      {{{3, 4, 5, 2}, {6, 7}}, {{8, 2}, {9, 10, 3, 3}}, {{5, 6, 7, 8, 9, 2}, {}}});
  CHECK(compare<C>("log_probabilities", log_probabilities(model, backend, batch).data()) == 33);
  updater<double, adam, cpu_backend> updates(store, adam{.beta2 = 0.98});
  const smoothed_cross_entropy loss{.epsilon = 0.1};
  for (step_t t = 1; t <= 5; ++t) {
    const loss_sums sums = model.train(backend, batch.pairs(), loss, {});
    const double mean = sums.loss / double(sums.tokens);
    CHECK(compare<C>(text("loss ", t), &mean) == 1);
    int compared = 0;
    for (std::size_t i = 0; t == 1 && i < store.entries().size(); ++i) {
      const auto g = store.gradient(i);
      std::vector<double> scaled(g.data, g.data + g.rows * g.width);
      for (double& d : scaled) d /= double(sums.tokens);
      // Of the table rows 2 and 3 are written down.
      const bool table = store.entries()[i].name == "embedding.weight";
      compared += compare<C>(store.entries()[i].name, scaled.data() + (table ? 2 * 8 : 0));
    }
    if (t == 1) CHECK(compared == 8 * 2 + 6 * 8);
    const double norm = updates.update(backend, sums, t, 0.01, 1).before;
    CHECK(compare<C>(text("norm ", t), &norm) == 1);
  }
}
