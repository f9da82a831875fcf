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
  state.each_kept([&]<class N>(const std::string& prefix, const trained_parameter<T>& p, N* data, index_t n) {
    const bool shaped = n == p.info.size() && p.info.columns > 1;
    std::string name = prefix + store.entries()[p.number].name;
    std::vector<index_t> shape =
        shaped ? std::vector<index_t>{p.info.rows, p.info.columns} : std::vector<index_t>{n};
    if constexpr (std::is_same_v<N, bfloat16>)
      file.add_streamed(std::move(name), dtype::BF16, std::move(shape), [data, n](file_writer& out) {
        for (index_t i = 0; i < n; ++i)
          detail::write_elements(out, std::span<const std::uint16_t>(&data[i].bits, 1));
      });
    else
      file.add(std::move(name), std::move(shape), std::span<const N>(data, std::size_t(n)));
  });
  state.each_number([&](const std::string& name, double& number) { file.set(name, number); });
}

/// Requires: the checkpoint holds all that read_optimizer will read. Error: a tensor that is missing or of
/// another size, a number that is missing.
template <class T, optimizer O>
void require_optimizer(const checkpoint_reader& file, const parameter_store<T>& store,
                       optimizer_state<T, O>& state) {
  state.each_kept([&](const std::string& prefix, const trained_parameter<T>& p, auto*, index_t n) {
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
  state.each_kept([&]<class N>(const std::string& prefix, const trained_parameter<T>& p, N* data, index_t n) {
    const std::string name = prefix + store.entries()[p.number].name;
    if constexpr (std::is_same_v<N, bfloat16>) {
      std::vector<float> wide(static_cast<std::size_t>(n));
      file.tensors().read_into(name, std::span<float>(wide));
      for (index_t i = 0; i < n; ++i) data[i] = stochastically_rounded(wide[std::size_t(i)], 0);  // exact
    } else {
      file.tensors().read_into(name, std::span<N>(data, std::size_t(n)));
    }
  });
  state.each_number([&](const std::string& name, double& number) { number = file.scalar<double>(name); });
}

}  // namespace formwork
