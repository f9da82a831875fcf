#pragma once
#include <formwork/io/json_lines.hpp>
#include <formwork/train/report.hpp>

#include <optional>
#include <string>
#include <utility>

namespace formwork {

/// Observer of a trainer that writes each report as a line of a metrics log (io/json_lines.hpp), with
/// `"kind":"update"` or `"kind":"evaluation"`. Where a run is resumed, lines of later updates are removed
/// first, so that every update is in the log once; a run that starts anew starts the log anew. Nothing is
/// touched before the first report.
class metrics_log {
 public:
  explicit metrics_log(std::string path) : path_(std::move(path)) {}

  void operator()(const update_report& r) {
    file().write(r.step, {{"kind", "update"},
                          {"epoch", r.epoch},
                          {"loss", r.loss},
                          {"nll", r.nll},
                          {"lr", r.learning_rate},
                          {"norm", r.gradient_norm},
                          {"clipped_norm", r.clipped_norm},
                          {"target_tokens", r.target_tokens},
                          {"tokens_per_second", r.tokens_per_second},
                          {"skipped_updates", r.skipped_updates}});
  }

  void operator()(const evaluation_report& r) {
    file().write(r.step, {{"kind", "evaluation"},
                          {"epoch", r.epoch},
                          {"loss", r.loss},
                          {"nll", r.nll},
                          {"ppl", r.perplexity()},
                          {"target_tokens", r.target_tokens},
                          {"best", r.is_best}});
  }

  void operator()(const run_note& note) {
    if (note.resumed >= 0) file_.emplace(path_, note.resumed);
  }

 private:
  json_lines& file() {
    if (!file_) file_.emplace(path_, step_t{-1});
    return *file_;
  }

  std::string path_;
  std::optional<json_lines> file_;
};

}  // namespace formwork
