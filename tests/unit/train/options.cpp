#include <formwork/train/options.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "../../support/wrong_numbers.hpp"

using namespace formwork;

namespace {

void refused(training_options options, const char* sentence) {
  CHECK_THROWS_WITH_AS(options.validate(), sentence, error);
}

}  // namespace

TEST_CASE("training options: what cannot be is one sentence, what can be is none") {
  CHECK_NOTHROW(training_options{.steps = 1}.validate());
  CHECK_NOTHROW(
      training_options{.epochs = 1, .clip_norm = 1, .dropout = {0, 0.1, 0.2, 0.99}, .ema_decay = 0.999}
          .validate());
  CHECK_NOTHROW(training_options{.patience = 1}.validate());
  refused({}, "training: nothing ends the run; set steps, epochs or patience");
  refused({.steps = -1}, "training: steps is -1, expected 0 or more");
  refused({.steps = 1, .accumulate = 0}, "training: accumulate is 0, expected at least 1");
  refused({.steps = 1, .clip_norm = -1}, "training: clip_norm is -1, expected a finite number, 0 or more");
  refused({.steps = 1, .log_every = 0}, "training: log_every is 0, expected at least 1");
  refused({.steps = 1, .evaluate_every = -2}, "training: evaluate_every is -2, expected 0 or more");
  refused({.steps = 1, .ema_decay = 1}, "training: ema_decay is 1, expected a number in [0, 1)");
  refused({.steps = 1, .dropout = {.attention = -0.5}},
          "training: a dropout rate is -0.5, expected a number in [0, 1)");
  refused({.steps = 1, .dropout = {.activation = std::nan("")}},
          "training: a dropout rate is nan, expected a number in [0, 1)");
}

TEST_CASE("training options: no number may be infinite, no number, or out of its range") {
  using formwork_test::check_number;
  const training_options valid{.steps = 1, .epochs = 1};
  check_number(valid, &training_options::steps, {0, 5}, {-1});
  check_number(valid, &training_options::epochs, {0, 5}, {-1});
  check_number(valid, &training_options::patience, {0, 5}, {-1});
  check_number(valid, &training_options::accumulate, {1, 5}, {0, -1});
  check_number(valid, &training_options::clip_norm, {0, 5}, {-1});
  check_number(valid, &training_options::log_every, {1, 5}, {0, -1});
  check_number(valid, &training_options::evaluate_every, {0, 5}, {-1});
  check_number(valid, &training_options::ema_decay, {0, 0.999}, {-0.1, 1});
  check_number(valid, &training_options::keep, {1, 5}, {0, -1});
  const auto rate = [](double dropout_rates::*which) {
    return [which](training_options& o) -> double& { return o.dropout.*which; };
  };
  check_number(valid, rate(&dropout_rates::embedding), {0, 0.999}, {-0.1, 1});
  check_number(valid, rate(&dropout_rates::attention), {0, 0.999}, {-0.1, 1});
  check_number(valid, rate(&dropout_rates::activation), {0, 0.999}, {-0.1, 1});
  check_number(valid, rate(&dropout_rates::residual), {0, 0.999}, {-0.1, 1});
}
