#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/graph/call.hpp>

#include <string>

namespace formwork {

/// How long and how to train; every number has a default that does nothing special.
struct training_options {
  step_t steps = 0;             ///< stop after this many updates; 0: no limit
  index_t epochs = 0;           ///< stop after this many epochs; 0: no limit
  index_t patience = 0;         ///< stop after so many evaluations without a lower loss; 0: never
  int accumulate = 1;           ///< batches whose gradients make one update
  double clip_norm = 0;         ///< largest gradient norm that is used as it is; 0: no clipping
  dropout_rates dropout{};
  std::uint64_t seed = 1;       ///< of the dropout masks
  step_t log_every = 50;        ///< updates between two update reports
  step_t evaluate_every = 0;    ///< updates between two evaluations; 0: at the end of each epoch
  double ema_decay = 0;         ///< keep an exponential moving average of the parameters; 0: none
  std::string folder{};         ///< where checkpoints go; empty: none are written
  index_t keep = 3;             ///< latest checkpoints that stay
  bool resume = true;           ///< go on from the folder's latest state; without it the folder must be unused
  std::string fingerprint{};    ///< further "key=value" lines that a resumed run must agree in

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (steps < 0) fail("training: steps is ", steps, ", expected 0 or more");
    if (epochs < 0) fail("training: epochs is ", epochs, ", expected 0 or more");
    if (patience < 0) fail("training: patience is ", patience, ", expected 0 or more");
    if (steps == 0 && epochs == 0 && patience == 0)
      fail("training: nothing ends the run; set steps, epochs or patience");
    if (accumulate < 1) fail("training: accumulate is ", accumulate, ", expected at least 1");
    if (!(clip_norm >= 0 && is_finite(clip_norm)))
      fail("training: clip_norm is ", clip_norm, ", expected a finite number, 0 or more");
    if (keep < 1) fail("training: keep is ", keep, ", expected at least 1");
    if (log_every < 1) fail("training: log_every is ", log_every, ", expected at least 1");
    if (evaluate_every < 0) fail("training: evaluate_every is ", evaluate_every, ", expected 0 or more");
    if (!(ema_decay >= 0 && ema_decay < 1))
      fail("training: ema_decay is ", ema_decay, ", expected a number in [0, 1)");
    for (const double rate : {dropout.embedding, dropout.attention, dropout.activation, dropout.residual})
      if (!(rate >= 0 && rate < 1))
        fail("training: a dropout rate is ", rate, ", expected a number in [0, 1)");
  }
};

}  // namespace formwork
