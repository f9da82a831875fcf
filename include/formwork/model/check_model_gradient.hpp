#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/model/check_gradient.hpp>
#include <formwork/model/loss.hpp>

namespace formwork {

/// Compares the backward pass of a whole model with central differences along one random direction for each
/// parameter, in double precision. Parameters get random values first, so that factors which start at 0 hide
/// nothing; they keep them.
/// Requires: a model of doubles (checked while compiling)
template <class Model, class Batch>
std::vector<gradient_check> check_model_gradient(Model& model, typename Model::backend_type& backend,
                                                 const Batch& batch, const smoothed_cross_entropy& loss = {},
                                                 std::uint64_t seed = 1, double h = 1e-3) {
  static_assert(std::is_same_v<typename Model::scalar, double>,
                "check_model_gradient: the model must compute with double; use precision fp64");
  parameter_store<double>& store = model.parameters();
  const random_stream random{seed, 2};
  std::uint64_t drawn = 0;
  for (const parameter_entry& e : store.entries())
    for (index_t i = 0; i < e.info.size(); ++i)
      store.values()[e.offset + i] = (e.info.role == role::norm_gain) + 0.4 * random.normal(drawn++);
  store.zero_gradients();
  model.train(backend, batch, loss, {});
  std::vector<gradient_check> out;
  for (const parameter_entry& e : store.entries()) {
    double* const w = store.values() + e.offset;
    const std::vector<double> old(w, w + e.info.size());
    std::vector<double> direction(old.size());
    for (double& d : direction) d = random.normal(drawn++);
    const auto at = [&](double step) {
      for (std::size_t i = 0; i < old.size(); ++i) w[i] = old[i] + step * direction[i];
      return model.evaluate(backend, batch, loss).loss;
    };
    gradient_check c{.name = e.name};
    for (std::size_t i = 0; i < old.size(); ++i)
      c.derivative += store.gradients()[e.offset + index_t(i)] * direction[i];
    c.coarse = std::abs((at(h) - at(-h)) / (2 * h) - c.derivative);
    c.fine = std::abs((at(h / 4) - at(-h / 4)) / (h / 2) - c.derivative);
    std::copy(old.begin(), old.end(), w);
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace formwork
