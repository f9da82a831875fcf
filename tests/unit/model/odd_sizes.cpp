// Whole models at widths that no kernel was made for, and in single precision against double.
#include <formwork/model/encoder_decoder.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/xavier.hpp>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;

namespace {

template <index_t Width, index_t Inner, int Heads>
struct sized : config {
  static constexpr dims size{
      .d_model = Width, .d_ff = Inner, .heads = Heads, .encoder_layers = 1, .decoder_layers = 1};
  using precision = fp64;
  using activation = gelu;  // smooth: central differences need that
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};

/// Gradients of the loss along a random direction of each parameter against central differences with two
/// step sizes: the error must fall with the square of the step.
template <class C>
void gradients_pass(const ragged_batch& batch) {
  constexpr vocabulary_sizes vocabulary{17, 33};
  encoder_decoder<C> model(vocabulary, xavier_uniform{}, 5);
  cpu_backend backend(1);
  const smoothed_cross_entropy loss{.epsilon = 0.1};
  parameter_store<double>& store = model.parameters();
  const random_stream random{7, 1};
  std::uint64_t draws = 0;
  for (index_t i = 0; i < store.size(); ++i) store.values()[i] += 0.1 * random.normal(draws++);
  store.zero_gradients();
  model.train(backend, batch.pairs(), loss, {});
  for (const parameter_entry& e : store.entries()) {
    const index_t n = e.info.size();
    double* values = store.values() + e.offset;
    const std::vector<double> old(values, values + n);
    std::vector<double> direction(old.size());
    double derivative = 0;
    for (index_t i = 0; i < n; ++i) {
      direction[std::size_t(i)] = random.normal(draws++) / std::sqrt(double(n));
      derivative += direction[std::size_t(i)] * store.gradients()[e.offset + i];
    }
    const auto at = [&](double step) {
      for (std::size_t i = 0; i < old.size(); ++i) values[i] = old[i] + step * direction[i];
      return model.evaluate(backend, batch.pairs(), loss).loss;
    };
    const auto error = [&](double h) { return std::abs((at(h) - at(-h)) / (2 * h) - derivative); };
    const double coarse = error(4e-3), fine = error(1e-3);
    std::copy(old.begin(), old.end(), values);
    CAPTURE(e.name);
    CAPTURE(derivative);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK((fine < 2e-9 * (1 + std::abs(derivative)) || fine * 8 < coarse));
  }
}

struct small : config {
  static constexpr dims size{.d_model = 33, .d_ff = 65, .heads = 3, .encoder_layers = 2, .decoder_layers = 2};
};
struct small_exact : small {
  using precision = fp64;
};

using sentence_pairs = std::vector<std::pair<formwork_test::sentence, formwork_test::sentence>>;
const ragged_batch one_token(sentence_pairs{{{3}, {}}}),
    ragged(sentence_pairs{{{3}, {}}, {{4, 5, 16, 2, 7}, {32, 6}}, {{2}, {8, 9, 10}}});

}  // namespace

TEST_CASE_TEMPLATE("odd sizes: the gradients of a whole model pass", C, sized<1, 257, 1>, sized<33, 31, 3>,
                   sized<257, 1, 1>) {
  gradients_pass<C>(one_token);
  gradients_pass<C>(ragged);
}

TEST_CASE("odd sizes: single precision says what double precision says, to five digits") {
  encoder_decoder<small> model({33, 33}, xavier_uniform{}, 3);
  encoder_decoder<small_exact> exact({33, 33}, xavier_uniform{}, 3);
  REQUIRE(model.parameters().size() == exact.parameters().size());
  std::copy_n(model.parameters().values(), model.parameters().size(), exact.parameters().values());
  cpu_backend backend(1);
  const auto found = formwork_test::log_probabilities(model, backend, ragged);
  const auto expected = formwork_test::log_probabilities(exact, backend, ragged);
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
  CHECK(worst < 1e-5);
  CHECK(worst > 0);  // the two are different computations
  const smoothed_cross_entropy loss{.epsilon = 0.1};
  const double single = model.train(backend, ragged.pairs(), loss, {}).loss,
               twice = exact.train(backend, ragged.pairs(), loss, {}).loss;
  CHECK(single == doctest::Approx(twice).epsilon(1e-5).scale(0));
  double difference = 0, size = 0;
  for (index_t i = 0; i < exact.parameters().size(); ++i) {
    const double g = exact.parameters().gradients()[i];
    difference += (model.parameters().gradients()[i] - g) * (model.parameters().gradients()[i] - g);
    size += g * g;
  }
  CHECK(std::sqrt(difference / size) < 1e-5);
}
