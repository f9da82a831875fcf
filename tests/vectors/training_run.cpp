// Sixty updates of a small encoder-decoder, Post-LN and Pre-LN, against PyTorch in double precision: logits
// and gradients of the first batch, loss, gradient norm and rate of every update, all weights at the end.
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/trainer.hpp>

#include "../support/reversal_model.hpp"

using namespace formwork;
using namespace formwork_test;

namespace {

template <class C>
struct reference_run {
  explicit reference_run(const std::string& name)
      : reference("training_run." + name), model({23, 23}, [](auto&&...) { return 0.0; }) {
    parameter_store<double>& store = model.parameters();
    for (std::size_t i = 0; i < store.entries().size(); ++i)
      reference.copy(reversal_place_of(store.entries()[i].name), "init.", store.value(i));
  }

  void check_parameters(const std::string& prefix, bool gradients, double factor, double tolerance) {
    parameter_store<double>& store = model.parameters();
    for (std::size_t i = 0; i < store.entries().size(); ++i) {
      CAPTURE(store.entries()[i].name);
      const matrix_view<double> found = gradients ? store.gradient(i) : store.value(i);
      std::vector<double> scaled(found.data, found.data + found.rows * found.width);
      for (double& x : scaled) x *= factor;
      CHECK(reference.error(reversal_place_of(store.entries()[i].name), prefix,
                            {scaled.data(), found.rows, found.width}) < tolerance);
    }
  }

  void check_first_batch() {
    const reversal_batch batch(reference, 0);
    const index_t rows = index_t(batch.target_out.size());
    std::vector<double> found(std::size_t(rows * 23));
    model.log_probabilities(backend, batch.pairs(), {found.data(), rows, 23});
    std::vector<double> expected = reference.rows("logits_step1", batch.target_lengths());
    for (index_t r = 0; r < rows; ++r) {  // the file has logits
      double sum = 0;
      for (index_t v = 0; v < 23; ++v) sum += std::exp(expected[std::size_t(r * 23 + v)]);
      for (index_t v = 0; v < 23; ++v) expected[std::size_t(r * 23 + v)] -= std::log(sum);
    }
    CHECK(torch_reference::error(found.data(), expected) < 1e-11);
    const loss_sums sums = model.train(backend, batch.pairs(), loss, {});
    CHECK(sums.tokens == rows);
    check_parameters("grad_step1.", true, 1 / double(rows), 1e-9);
    model.parameters().zero_gradients();
  }

  void check_updates() {
    const auto rate = [](step_t t) { return 4e-3 * std::min(double(t) / 20, std::sqrt(20 / double(t))); };
    trainer run(backend, model, adam{.beta2 = 0.98}, rate, loss);
    const std::vector<double> losses = reference.values("loss"),
                              norms = reference.values("grad_norm_before_clipping"),
                              rates = reference.values("learning_rate");
    for (index_t t = 0; t < 60; ++t) {
      CAPTURE(t);
      const reversal_batch batch(reference, t);
      const update_report report =
          run.apply(model.train(backend, batch.pairs(), loss, {}), 0, {.clip_norm = 1, .folder = ""});
      const auto i = std::size_t(t);
      CHECK(report.step == t + 1);
      CHECK(report.loss == doctest::Approx(losses[i]).epsilon(1e-8));
      CHECK(report.gradient_norm == doctest::Approx(norms[i]).epsilon(1e-7));
      CHECK(report.clipped_norm <= 1);
      CHECK(report.learning_rate == doctest::Approx(rates[i]).epsilon(1e-14));
    }
    CHECK(losses[59] < 0.8 * losses[0]);
    check_parameters("final.", false, 1, 1e-7);
  }

  torch_reference reference;
  cpu_backend backend{2};
  encoder_decoder<C> model;
  smoothed_cross_entropy loss{.epsilon = 0.1};
};

}  // namespace

TEST_CASE("training run: sixty Post-LN updates follow PyTorch's") {
  reference_run<reversal_post> run("post_ln");
  run.check_first_batch();
  run.check_updates();
}

TEST_CASE("training run: sixty Pre-LN updates follow PyTorch's") {
  reference_run<reversal> run("pre_ln");
  run.check_first_batch();
  run.check_updates();
}
