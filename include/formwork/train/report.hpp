#pragma once
#include <formwork/core/types.hpp>

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>

namespace formwork {

/// What one update did. Losses are in nats for each target token.
struct update_report {
  step_t step = 0;
  index_t epoch = 0;                ///< from 0
  double loss = 0;                  ///< the trained loss, smoothing included
  double nll = 0;                   ///< negative log-likelihood of the references
  double learning_rate = 0;
  double gradient_norm = 0;         ///< of the mean gradient, before clipping
  double clipped_norm = 0;          ///< after clipping
  index_t target_tokens = 0;        ///< of this update, end marks counted
  double tokens_per_second = 0;     ///< target tokens over the wall time since the last report
  double seconds_left = 0;          ///< estimate to the end of the run; negative: unknown
  index_t skipped_updates = 0;      ///< so far: batches without targets

  double perplexity() const { return std::exp(nll); }
};

/// What a pass over the validation set found.
struct evaluation_report {
  step_t step = 0;
  index_t epoch = 0;     ///< epochs completed
  double loss = 0, nll = 0;
  index_t target_tokens = 0;
  bool is_best = false;  ///< the lowest loss so far
  index_t stalled = 0;   ///< evaluations since the best one

  double perplexity() const { return std::exp(nll); }
};

/// Anything worth one line: where the run resumed, a damaged checkpoint that was passed over, why it stopped.
struct run_note {
  std::string_view sentence;
  step_t resumed = -1;  ///< the run goes on after this update; negative: the note says something else
};

/// Hands a report to an observer if it takes reports of this kind. An observer is anything callable with one
/// or more of the reports above; a lambda for one of them will do.
template <class Observer, class Report>
void notify(Observer& observer, const Report& report) {
  if constexpr (std::invocable<Observer&, const Report&>) observer(report);
}

}  // namespace formwork
