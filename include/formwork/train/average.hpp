#pragma once
#include <formwork/io/rotation.hpp>
#include <formwork/train/model_file.hpp>

#include <span>
#include <string>
#include <vector>

namespace formwork {

/// The updates of the last `count` checkpoints that a run has written, oldest first; all of them if there
/// were fewer. They are `run_counters::saved`, not the files that are there: one that has gone is missed.
/// Error: no checkpoint was written, or fewer than one is asked for
inline std::span<const step_t> last_checkpoints(const run_counters& run, index_t count) {
  if (count < 1) fail("checkpoint average: ", count, " checkpoints asked for, expected at least 1");
  if (run.saved.empty()) fail("checkpoint average: the run has written no checkpoint");
  return std::span(run.saved).last((std::min)(run.saved.size(), std::size_t(count)));
}

/// A checkpoint that an average needs is missing or damaged.
struct incomplete_average : error {
  index_t usable = 0;  ///< this many of the last checkpoints are intact
  using error::error;
};

namespace detail {

/// The mean of the parameters of several files, summed in double precision in the order in which they come.
/// Memory: of one parameter at a time, so that a run that just fits can also end.
template <class Model>
class parameter_mean {
 public:
  parameter_mean(Model& model, std::string prefix) : model_(model), prefix_(std::move(prefix)) {}

  void add(checkpoint_reader file) {
    require_model(file, model_);
    require_array(file, model_.parameters(), prefix_);
    files_.push_back(std::move(file));
  }
  void store() {
    using scalar = typename Model::scalar;
    std::vector<double> sum;
    std::vector<scalar> values;
    for (const parameter_entry& e : model_.parameters().entries()) {
      sum.assign(std::size_t(e.info.size()), 0.0);
      values.resize(sum.size());
      for (const checkpoint_reader& file : files_) {
        file.tensors().read_into(prefix_ + e.name, std::span<scalar>(values));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += double(values[i]);
      }
      scalar* const mean = model_.parameters().values() + e.offset;
      for (std::size_t i = 0; i < sum.size(); ++i) mean[i] = scalar(sum[i] / double(files_.size()));
    }
  }

 private:
  Model& model_;
  std::string prefix_;
  std::vector<checkpoint_reader> files_;
};

/// How many checkpoints, from the last one back, are intact.
inline index_t intact_from_the_end(const rotation& files, std::span<const step_t> steps) {
  index_t count = 0;
  try {
    for (; count < index_t(steps.size()); ++count) {
      const step_t step = steps[steps.size() - 1 - std::size_t(count)];
      require_step(checkpoint_reader(files.path(step)), step);
    }
  } catch (const error&) {
  }
  return count;
}

}  // namespace detail

/// Sets the model's parameters to the mean of those in several files, summed in double precision in the order
/// of the paths. `prefix` chooses the arrays: "" for the parameters, "ema." for their moving averages.
/// Requires: at least one file, each of this model (checked: `error` names file and difference; the model is
///           unchanged)
/// Source:   Vaswani et al. 2017, section 6.1
template <class Model>
void average_checkpoints(Model& model, std::span<const std::string> paths, const std::string& prefix = "") {
  if (paths.empty()) fail("checkpoint average: no files were given");
  detail::parameter_mean mean(model, prefix);
  for (const std::string& path : paths) mean.add(checkpoint_reader(path));
  mean.store();
}

/// The same for checkpoints of a run's folder, those after the given updates (see last_checkpoints).
/// Error: `incomplete_average` if one of them is missing or damaged; the model is unchanged
template <class Model>
void average_checkpoints(Model& model, const std::string& folder, std::span<const step_t> steps,
                         const std::string& prefix = "") {
  if (steps.empty()) fail("checkpoint average: no checkpoints were given");
  const rotation files{.folder = folder};
  detail::parameter_mean mean(model, prefix);
  for (const step_t step : steps) {
    try {
      checkpoint_reader file(files.path(step));
      require_step(file, step);
      mean.add(std::move(file));
    } catch (const error& fault) {
      const index_t usable = detail::intact_from_the_end(files, steps);
      incomplete_average incomplete(text(fault.what(), "; a mean of ", steps.size(),
                                         " checkpoints needs it, of which the last ", usable, " are intact"));
      incomplete.usable = usable;
      throw incomplete;
    }
  }
  mean.store();
}

}  // namespace formwork
