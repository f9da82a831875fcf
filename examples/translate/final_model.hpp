#pragma once
#include <formwork/train/average.hpp>
#include <formwork/train/run_end.hpp>

#include "run_folder.hpp"
#include "train_options.hpp"

namespace examples {

/// The model that a run ends with: the mean of its last checkpoints, and how to tell that it is there.
class final_model {
 public:
  /// `fingerprint`: that of the trainer
  final_model(const run_folder& folder, const train_options& o, std::string fingerprint)
      : folder_(folder), options_(o), fingerprint_(std::move(fingerprint)) {}

  /// Whether the folder's model is the one that this command would end with. The file itself says so:
  /// checkpoints may have gone since. One that is damaged is named and counts as none.
  /// Error: it is the model of another run
  bool is_there() const {
    if (!folder_.has_model()) return false;
    std::optional<formwork::checkpoint_reader> file;
    try {
      file.emplace(folder_.model());
    } catch (const formwork::error& damaged) {
      say(damaged.what());
      return false;
    }
    const auto origin = formwork::origin_of(*file);
    if (!origin) return false;
    file->require_fingerprint(fingerprint_);
    return formwork::end_of(origin->counters, options_.run) && origin->parts == parts(origin->counters);
  }

  /// Makes it. Error: a checkpoint that it needs is missing or damaged, and what to do then
  template <class Model>
  void write(Model& model, const formwork::run_counters& run) const {
    const auto steps = formwork::last_checkpoints(run, options_.average);
    try {
      formwork::average_checkpoints(model, folder_.checkpoints(), steps, prefix());
    } catch (const formwork::incomplete_average& e) {
      fail(e.what(), e.usable ? text("; --average ", e.usable, " takes only these") : "");
    }
    const formwork::model_origin origin{fingerprint_, run, parts(run)};
    formwork::save_model(model, folder_.model(), &origin);
    say(folder_.model(), ": mean of ", steps.size(), " checkpoints");
  }

 private:
  std::string prefix() const { return options_.run.ema_decay > 0 ? "ema." : ""; }
  std::string parts(const formwork::run_counters& run) const {
    return formwork::mean_of(prefix(), formwork::last_checkpoints(run, options_.average));
  }

  const run_folder& folder_;
  const train_options& options_;
  std::string fingerprint_;
};

}  // namespace examples
