#pragma once
#include <formwork/model/observe.hpp>
#include <formwork/policy/norm_placement/deep_norm.hpp>

#include <cmath>

namespace formwork {

/// Sets the factors of `admin` from one batch: omega of a branch is sqrt(1 + the sum of the variances of all
/// branches below it in its stack), 1 for the first. `dropout` is that of the training to come.
/// Requires: a model whose placement is admin
/// Cost:     one forward pass for each branch, and one more
/// Source:   Liu et al. 2020, section 4.2; the variance is over all elements of a branch's result
template <class Model, class Batch>
void profile_admin(Model& model, typename Model::backend_type& backend, const Batch& batch,
                   const dropout_rates& dropout = {}) {
  static_assert(std::is_same_v<typename Model::configuration::placement, admin>,
                "profile_admin: the model's placement must be formwork::admin");
  using scalar = typename Model::scalar;
  observer<Model, tap::branch> seen(model);
  const std::vector<sublayer_figures> places = seen.figures(backend, batch);
  double sum = 0;
  stack_kind stack = stack_kind::none;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const sublayer_figures& f = places[i];
    if (f.stack != stack) sum = 0;
    stack = f.stack;
    const std::string name = text(stack == stack_kind::encoder ? "encoder." : "decoder.", f.layer, ".",
                                  join(detail::name_of(f.part), admin::factor));
    for (auto* store : {&model.parameters(), &seen.twin().parameters()}) {
      const auto omega = store->value(name);
      std::fill_n(omega.data, omega.rows * omega.width, scalar(std::sqrt(1 + sum)));
    }
    // The branch reads what its predecessors made with their own factors; its own comes behind it.
    sum += seen.figures(backend, batch, {.dropout = dropout})[i].variance;
  }
}

}  // namespace formwork
