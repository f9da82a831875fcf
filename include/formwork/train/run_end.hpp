#pragma once
#include <formwork/train/checkpoint_state.hpp>
#include <formwork/train/options.hpp>

#include <optional>

namespace formwork {

/// Why a run returned.
enum class run_end { finished, out_of_patience, interrupted };

/// How a run that has counted this ends under these options; none where it goes on.
inline std::optional<run_end> end_of(const run_counters& done, const training_options& options) {
  if ((options.steps && done.step >= options.steps) || (options.epochs && done.epoch >= options.epochs))
    return run_end::finished;
  if (options.patience && done.stalled >= options.patience) return run_end::out_of_patience;
  return std::nullopt;
}

/// Whether the options ask for an evaluation at this place, the end of the run aside.
inline bool evaluation_due(const run_counters& done, const training_options& options) {
  if (options.evaluate_every) return done.step % options.evaluate_every == 0;
  return done.batch == 0 && done.epoch > 0;  // an update never reaches into the next epoch
}

}  // namespace formwork
