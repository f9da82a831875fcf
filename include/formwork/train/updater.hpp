#pragma once
#include <formwork/core/role.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/policy/optimizer/state.hpp>

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
/// clipping by global norm, optimizer. Holds what the optimizer remembers.
template <class T, optimizer Optimizer, class Backend>
class updater {
 public:
  updater(parameter_store<T>& parameters, const Optimizer& optimizer)
      : parameters_(parameters), state_(optimizer, trained(parameters)) {
    if (has_views()) training_values_.resize(parameters.size());
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
    show_training();
    state_.update(backend, step, lr, mean * factor);
    updated_ = true;
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

  /// True if the optimizer wants to see a gradient of sampled labels before the update of this number.
  bool samples_labels(step_t step) const { return state_.samples_labels(step); }
  /// Shows the optimizer the gradient that has been summed up over `tokens` sampled labels, and clears it.
  void observe(Backend& backend, index_t tokens, step_t step, double lr) {
    show_training();
    if (tokens > 0) state_.observe(backend, step, lr, 1 / std::sqrt(double(tokens)));
    parameters_.zero_gradients();
  }

  /// Some optimizers train other weights than those to evaluate. The next two functions choose which of them
  /// the parameters hold; an update puts the weights of training back by itself.
  static constexpr bool has_views() { return optimizer_state<T, Optimizer>::has_views(); }
  void show_evaluated(Backend& backend) {
    if (!has_views() || shows_evaluated_) return;
    std::copy_n(parameters_.values(), parameters_.size(), training_values_.data());
    if (updated_) state_.show_evaluated(backend);
    shows_evaluated_ = true;
  }
  bool shows_evaluated() const { return shows_evaluated_; }
  void show_training() {
    if (shows_evaluated_) std::copy_n(training_values_.data(), parameters_.size(), parameters_.values());
    shows_evaluated_ = false;
  }
  /// The weights of training while the parameters hold those to evaluate, in the layout of the parameter
  /// store. Null without views.
  T* training_values() { return has_views() ? training_values_.data() : nullptr; }
  /// To be called when a state after update `step` has been read: parameters, training_values and state().
  void loaded(step_t step) {
    shows_evaluated_ = has_views();
    updated_ = step > 0;
  }

  optimizer_state<T, Optimizer>& state() { return state_; }
  const Optimizer& optimizer() const { return state_.policy(); }

 private:
  static std::vector<trained_parameter<T>> trained(parameter_store<T>& store) {
    std::vector<trained_parameter<T>> out;
    for (const parameter_entry& e : store.entries())
      out.push_back({out.size(), e.info, store.values() + e.offset, store.gradients() + e.offset});
    return out;
  }

  /// Throws for the reason why a norm or a loss is not finite. The gradient is cleared: who catches the
  /// error may go on with another batch.
  [[noreturn]] void report_non_finite(Backend& backend, const loss_sums& sums, step_t step) {
    std::string sentence;
    for (const parameter_entry& e : parameters_.entries()) {
      const index_t i = cpu::first_non_finite(backend, parameters_.gradients() + e.offset, e.info.size());
      if (i < 0) continue;
      sentence = text("the gradient of ", e.name, " is not finite (element ", i,
                      "); a lower learning rate, a warm-up or clipping may help");
      break;
    }
    parameters_.zero_gradients();
    require_finite(backend, step);
    if (sentence.empty())
      sentence = std::isfinite(sums.loss)
                     ? "the gradients are finite but too large to square"
                     : text("the loss is ", sums.loss, " although all gradients are finite");
    throw non_finite_error(text("update ", step, ": ", sentence));
  }

  parameter_store<T>& parameters_;
  optimizer_state<T, Optimizer> state_;
  storage<T> training_values_;
  bool shows_evaluated_ = false;
  bool updated_ = false;  // before the first update there is one view only
};

}  // namespace formwork
