#pragma once
#include <formwork/io/rotation.hpp>
#include <formwork/train/model_file.hpp>

#include <span>
#include <string>
#include <vector>

namespace formwork {

/// Paths of the last `count` checkpoints of a run's folder, oldest first; all of them if there are fewer.
/// Error: the folder has none.
inline std::vector<std::string> last_checkpoints(const std::string& folder, index_t count) {
  if (count < 1) fail("checkpoint average: ", count, " checkpoints asked for, expected at least 1");
  const std::vector<rotation::file> files = rotation{.folder = folder}.files();
  if (files.empty()) fail(folder, ": no checkpoint here");
  std::vector<std::string> paths;
  for (std::size_t i = files.size() - (std::min)(files.size(), std::size_t(count)); i < files.size(); ++i) {
    require_step(checkpoint_reader(files[i].path), files[i].step);
    paths.push_back(files[i].path);
  }
  return paths;
}

/// Sets the model's parameters to the mean of those in several files, summed in double precision in the order
/// of the paths. `prefix` chooses the arrays: "" for the parameters, "ema." for their moving averages.
/// Requires: at least one file, each of this model (checked: `error` names file and difference; the model is
///           unchanged)
/// Source:   Vaswani et al. 2017, section 6.1
template <class Model>
void average_checkpoints(Model& model, std::span<const std::string> paths, const std::string& prefix = "") {
  using T = typename Model::scalar;
  if (paths.empty()) fail("checkpoint average: no files were given");
  auto& store = model.parameters();
  std::vector<double> sum(std::size_t(store.size()), 0.0);
  storage<T> values(store.size());
  for (const std::string& path : paths) {
    const checkpoint_reader file(path);
    require_model(file, model);
    read_arrays<T>(file, store, {{prefix, values.data()}});
    for (index_t i = 0; i < store.size(); ++i) sum[std::size_t(i)] += double(values[i]);
  }
  for (index_t i = 0; i < store.size(); ++i)
    store.values()[i] = T(sum[std::size_t(i)] / double(paths.size()));
}

}  // namespace formwork
