#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/fingerprint.hpp>
#include <formwork/train/checkpoint_state.hpp>

#include <string>

namespace formwork {

/// Requires: the file was written by a model of this configuration. Error: names the first difference.
template <class Model>
void require_model(const checkpoint_reader& file, const Model& model) {
  file.require_part_of_fingerprint(fingerprint_of(model));
}

/// Writes the parameters alone, about a third of a checkpoint, as a safetensors file with the model's
/// configuration. Atomic; equal parameters give equal bytes.
template <class Model>
void save_model(Model& model, const std::string& path) {
  using T = typename Model::scalar;
  checkpoint_writer file(fingerprint_of(model));
  add_arrays<T>(file, model.parameters(), {{"", model.parameters().values()}});
  file.write(path);
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
