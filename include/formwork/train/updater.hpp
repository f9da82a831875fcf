#pragma once
#include <formwork/core/role.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/optimizer_step.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

#include <algorithm>
#include <vector>

namespace formwork {

/// Norms of the mean gradient of one update.
struct gradient_norms {
  double before = 0;  ///< as computed
  double after = 0;   ///< as used, not above the clip norm
};

/// A loss or gradient that is not finite: the run stops, nothing has been changed by the update.
struct non_finite_error : error {
  using error::error;
};

/// Turns the summed gradient of a model into an update of its parameters: mean over target tokens, check,
/// clipping by global norm, optimizer. Holds the optimizer's moments.
template <class T, optimizer Optimizer, class Backend>
class updater {
 public:
  updater(parameter_store<T>& parameters, const Optimizer& optimizer)
      : parameters_(parameters), optimizer_(optimizer) {
    static_assert(explain_optimizer<Optimizer>());
    validate(optimizer);
    moments_.resize(Optimizer::moments * parameters.size());
    for (const parameter_entry& e : parameters.entries()) {
      const bool decays = is_matrix(e.info.role);
      if (groups_.empty() || groups_.back().decays != decays) groups_.push_back({e.offset, e.offset, decays});
      groups_.back().end = e.offset + e.info.size();
    }
  }

  /// Uses and clears the gradient that has been summed up over `sums.tokens` target tokens. `clip` is the
  /// largest norm of the mean gradient that is used as it is, 0 for no limit.
  /// Error: non_finite_error naming the first parameter whose gradient is not finite.
  gradient_norms update(Backend& backend, const loss_sums& sums, step_t step, double lr, double clip) {
    if (sums.tokens < 1) fail("updater: a gradient of ", sums.tokens, " target tokens has no mean");
    const double mean = 1 / double(sums.tokens);
    const double norm =
        std::sqrt(cpu::sum_of_squares(backend, parameters_.gradients(), parameters_.size())) * mean;
    if (!std::isfinite(norm) || !std::isfinite(sums.loss)) report_non_finite(backend, sums, step);
    // The small number is what the reference implementations add; it keeps the quotient finite.
    const double factor = clip > 0 ? std::min(1.0, clip / (norm + 1e-6)) : 1.0;
    for (const group& g : groups_) {
      const auto prepared = optimizer_.prepare(update_info{.step = step, .lr = lr, .decays = g.decays});
      cpu::optimizer_step(backend, optimizer_, prepared, parameters_.values() + g.begin,
                          parameters_.gradients() + g.begin, moments_.data() + g.begin, parameters_.size(),
                          g.end - g.begin, mean * factor);
    }
    parameters_.zero_gradients();
    return {norm, norm * factor};
  }

  /// Error: non_finite_error naming the first parameter that is not finite.
  void require_finite(Backend& backend, step_t step) const {
    for (const parameter_entry& e : parameters_.entries()) {
      const index_t i = cpu::first_non_finite(backend, parameters_.values() + e.offset, e.info.size());
      if (i >= 0)
        throw non_finite_error(
            text("update ", step, ": parameter ", e.name, " is not finite (element ", i, ")"));
    }
  }

  /// Moment m of all parameters, in the layout of the parameter store.
  T* moment(int m) { return moments_.data() + m * parameters_.size(); }
  const T* moment(int m) const { return moments_.data() + m * parameters_.size(); }
  const Optimizer& optimizer() const { return optimizer_; }

 private:
  /// Neighbours in memory that weight decay treats alike: matrices, or everything else.
  struct group {
    index_t begin = 0, end = 0;
    bool decays = false;
  };

  /// Throws for the reason why a norm or a loss is not finite. The gradient is cleared: who catches the
  /// error may go on with another batch.
  [[noreturn]] void report_non_finite(Backend& backend, const loss_sums& sums, step_t step) {
    require_finite(backend, step);
    std::string sentence;
    for (const parameter_entry& e : parameters_.entries()) {
      const index_t i = cpu::first_non_finite(backend, parameters_.gradients() + e.offset, e.info.size());
      if (i < 0) continue;
      sentence = text("the gradient of ", e.name, " is not finite (element ", i,
                      "); a lower learning rate, a warm-up or clipping may help");
      break;
    }
    parameters_.zero_gradients();
    if (sentence.empty())
      sentence = std::isfinite(sums.loss)
                     ? "the gradients are finite but too large to square"
                     : text("the loss is ", sums.loss, " although all gradients are finite");
    throw non_finite_error(text("update ", step, ": ", sentence));
  }

  parameter_store<T>& parameters_;
  Optimizer optimizer_;
  storage<T> moments_;
  std::vector<group> groups_;
};

}  // namespace formwork
