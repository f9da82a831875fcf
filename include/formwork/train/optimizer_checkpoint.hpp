#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/policy/optimizer/state.hpp>

#include <span>
#include <string>
#include <vector>

namespace formwork {

/// Puts what an optimizer remembers into a checkpoint: "moment0." and so on before the name of a parameter,
/// "kept." for an optimizer of whole matrices, scalars "optimizer.0.0" and so on for numbers of the run.
template <class T, optimizer O>
void add_optimizer(checkpoint_writer& file, const parameter_store<T>& store, optimizer_state<T, O>& state) {
  state.each_kept([&](const std::string& prefix, const trained_parameter<T>& p, T* data, index_t n) {
    const bool shaped = n == p.info.size() && p.info.columns > 1;
    file.add(prefix + store.entries()[p.number].name,
             shaped ? std::vector<index_t>{p.info.rows, p.info.columns} : std::vector<index_t>{n},
             std::span<const T>(data, std::size_t(n)));
  });
  state.each_number([&](const std::string& name, double& number) { file.set(name, number); });
}

/// Requires: the checkpoint holds all that read_optimizer will read. Error: a tensor that is missing or of
/// another size, a number that is missing.
template <class T, optimizer O>
void require_optimizer(const checkpoint_reader& file, const parameter_store<T>& store,
                       optimizer_state<T, O>& state) {
  state.each_kept([&](const std::string& prefix, const trained_parameter<T>& p, T*, index_t n) {
    const std::string name = prefix + store.entries()[p.number].name;
    if (const index_t found = file.tensors().entry(name).count(); found != n)
      fail(file.path(), ": tensor ", name, " has ", found, " elements, expected ", n);
  });
  state.each_number([&](const std::string& name, double&) { file.scalar<double>(name); });
}

/// Reads what add_optimizer wrote, straight to its place.
template <class T, optimizer O>
void read_optimizer(const checkpoint_reader& file, const parameter_store<T>& store,
                    optimizer_state<T, O>& state) {
  state.each_kept([&](const std::string& prefix, const trained_parameter<T>& p, T* data, index_t n) {
    file.tensors().read_into(prefix + store.entries()[p.number].name, std::span<T>(data, std::size_t(n)));
  });
  state.each_number([&](const std::string& name, double& number) { number = file.scalar<double>(name); });
}

}  // namespace formwork
