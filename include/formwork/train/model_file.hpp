#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/fingerprint.hpp>
#include <formwork/train/checkpoint_state.hpp>

#include <optional>
#include <span>
#include <string>

namespace formwork {

/// Requires: the file was written by a model of this configuration. Error: names the first difference.
template <class Model>
void require_model(const checkpoint_reader& file, const Model& model) {
  file.require_part_of_fingerprint(fingerprint_of(model));
}

/// Where the parameters in a model file come from. With it a run's end can be told from the file alone,
/// whatever has become of the checkpoints.
struct model_origin {
  std::string fingerprint;  ///< of the run: trainer::fingerprint
  run_counters counters;    ///< of the run at its end
  std::string parts;        ///< what the mean was made of, see mean_of
};

/// A mean of checkpoints in words: the updates, and before them the prefix of the arrays.
inline std::string mean_of(const std::string& prefix, std::span<const step_t> steps) {
  return text(prefix, prefix.empty() ? "" : " ", text_of_steps(steps));
}

/// Writes the parameters alone, about a third of a checkpoint, as a safetensors file with the model's
/// configuration, and where they come from if that is given. Atomic; equal content gives equal bytes.
template <class Model>
void save_model(Model& model, const std::string& path, const model_origin* origin = nullptr) {
  using T = typename Model::scalar;
  checkpoint_writer file(origin ? origin->fingerprint : fingerprint_of(model));
  add_arrays<T>(file, model.parameters(), {{"", model.parameters().values()}});
  if (origin) {
    add_counters(file, origin->counters);
    file.set("mean_of", origin->parts);
  }
  file.write(path);
}

/// Where the parameters of an opened model file come from, if it says so.
inline std::optional<model_origin> origin_of(const checkpoint_reader& file) {
  if (!file.scalars().contains("mean_of")) return std::nullopt;
  return model_origin{file.fingerprint(), read_counters(file), file.scalar<std::string>("mean_of")};
}

/// Reads the parameters of a file that save_model or a trainer wrote.
/// Error: a damaged file, or another model, naming what differs
template <class Model>
void load_model(Model& model, const std::string& path) {
  using T = typename Model::scalar;
  const checkpoint_reader file(path);
  require_model(file, model);
  read_arrays<T>(file, model.parameters(), {{"", model.parameters().values()}});
}

}  // namespace formwork
