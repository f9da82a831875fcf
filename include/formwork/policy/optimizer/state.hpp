#pragma once
#include <formwork/core/function_ref.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/kernels/cpu/optimizer_step.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

#include <bit>
#include <string>
#include <vector>

namespace formwork {

/// A parameter and its gradient, in memory of the caller.
template <class T>
struct trained_parameter {
  std::size_t number = 0;  ///< place in the caller's own list
  parameter_info info{};
  T* value = nullptr;     // [info.size()]
  T* gradient = nullptr;  // [info.size()]
};

/// "adamw", or "muon, adamw" for an optimizer that leaves some parameters to another one.
template <optimizer O>
std::string optimizer_name() {
  std::string out(label(O::name).view());
  if constexpr (detail::has_rest<O>)
    out += ", " + optimizer_name<std::remove_cvref_t<decltype(std::declval<const O&>().rest)>>();
  return out;
}

namespace detail {

/// One update of a part of the parameters, in numbers.
struct optimizer_moment {
  step_t step = 1;
  double lr = 0;
  double gradient_scale = 1;
  function_ref<void(update_info&)> adjust;

  update_info info_of(const parameter_info& p) const {
    update_info info{.step = step, .lr = lr, .decays = is_matrix(p.role), .parameter = p};
    adjust(info);
    return info;
  }
};

inline index_t padded(index_t n) { return (n + 15) / 16 * 16; }

// What an element-wise optimizer remembers of some parameters, and how it moves them.
template <class T, class O>
class elementwise_state {
 public:
  elementwise_state(const O& policy, std::vector<trained_parameter<T>> parameters)
      : policy_(policy),
        parameters_(std::move(parameters)),
        operands_(operands()),
        tasks_(operands_),
        prepared_(parameters_.size()) {
    if constexpr (has_sums<O>) sums_.resize(parameters_.size());
  }

  template <class Backend>
  void update(Backend& backend, const optimizer_moment& now) {
    if constexpr (has_sums<O>) {
      prepare(now);
      cpu::optimizer_sums(backend, policy_, prepared_, operands_, tasks_, now.gradient_scale, sums_);
    }
    if constexpr (has_run_state<O>) advance(now);
    prepare(now);
    if constexpr (concludes<O>)
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        policy_.conclude(prepared_[i], sums_[i], now.info_of(parameters_[i].info));
    cpu::optimizer_step(backend, policy_, prepared_, operands_, tasks_, now.gradient_scale, now.step);
  }

  template <class Backend>
  void observe(Backend& backend, const optimizer_moment& now) {
    if constexpr (optimizer_with_samples<O>) {
      prepare(now);
      cpu::optimizer_observe(backend, policy_, prepared_, operands_, tasks_, now.gradient_scale, now.step);
    }
  }

  template <class Backend>
  void show_evaluated(Backend& backend) {
    if constexpr (optimizer_with_views<O>) cpu::optimizer_view(backend, policy_, operands_, tasks_);
  }

  template <class F>
  void each_kept(F f) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      for (int m = 0; m < O::moments; ++m)
        f(text("moment", m, "."), parameters_[i], operands_[i].state + m * operands_[i].stride,
          operands_[i].n);
  }
  template <class F>
  void each_number(F f) {
    if constexpr (!std::is_empty_v<run_state_of<O>>) {
      auto numbers = std::bit_cast<std::array<double, sizeof(run_) / sizeof(double)>>(run_);
      for (std::size_t i = 0; i < numbers.size(); ++i) f(i, numbers[i]);
      run_ = std::bit_cast<run_state_of<O>>(numbers);
    }
  }

 private:
  using moment = moment_of<O, T>;

  std::vector<cpu::optimizer_operand<T, moment>> operands() {
    index_t size = 0;
    for (const auto& p : parameters_) size += O::moments * padded(p.info.size());
    kept_.resize(size);
    std::vector<cpu::optimizer_operand<T, moment>> out;
    moment* state = kept_.data();
    for (const auto& p : parameters_) {
      const index_t n = p.info.size(), stride = padded(n);
      out.push_back({.w = p.value, .g = p.gradient, .state = state, .stride = stride, .n = n});
      state += O::moments * stride;
    }
    return out;
  }

  void prepare(const optimizer_moment& now) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      prepared_[i] = detail::prepare(policy_, now.info_of(parameters_[i].info), run_);
  }

  void advance(const optimizer_moment& now) {
    const update_info info{.step = now.step, .lr = now.lr};
    if constexpr (advances_with_sums<O>) {
      sums_array<O, double> total{};
      for (const auto& sums : sums_)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += sums[k];
      policy_.advance(run_, info, total);
    } else {
      policy_.advance(run_, info);
    }
  }

  struct no_sums {};
  template <class P>
  struct sums_of {
    using type = no_sums;
  };
  template <has_sums P>
  struct sums_of<P> {
    using type = std::vector<sums_array<P, double>>;
  };

  O policy_;
  std::vector<trained_parameter<T>> parameters_;
  storage<moment> kept_;
  std::vector<cpu::optimizer_operand<T, moment>> operands_;
  cpu::optimizer_tasks tasks_;
  std::vector<prepared_type<O>> prepared_;
  typename sums_of<O>::type sums_;
  run_state_of<O> run_{};
};

// The same for an optimizer of whole matrices.
template <class T, class O>
class matrix_state {
 public:
  matrix_state(const O& policy, std::vector<trained_parameter<T>> parameters)
      : policy_(policy), parameters_(std::move(parameters)) {
    index_t size = 0, scratch = 0;
    for (const auto& p : parameters_) {
      offsets_.push_back(size);
      size += padded(policy.kept(p.info.rows, p.info.columns));
      scratch = (std::max)(scratch, policy.scratch(p.info.rows, p.info.columns));
    }
    kept_.resize(size);
    scratch_.resize(scratch);
  }

  template <class Backend>
  void update(Backend& backend, const optimizer_moment& now) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const trained_parameter<T>& p = parameters_[i];
      const index_t rows = p.info.rows, columns = p.info.columns;
      const matrix_view<T> w(p.value, rows, columns), g(p.gradient, rows, columns);
      const T scale = T(now.gradient_scale);
      cpu::map(
          backend, g, [scale](auto x) { return x * decltype(x)(scale); }, g);
      const update_info info = now.info_of(p.info);
      policy_.step(backend, matrix_update<T>{w, g, kept_.data() + offsets_[i], scratch_.data(), info});
    }
  }

  template <class Backend>
  void observe(Backend&, const optimizer_moment&) {}
  template <class Backend>
  void show_evaluated(Backend&) {}

  template <class F>
  void each_kept(F f) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      f(std::string("kept."), parameters_[i], kept_.data() + offsets_[i],
        policy_.kept(parameters_[i].info.rows, parameters_[i].info.columns));
  }
  template <class F>
  void each_number(F) {}

 private:
  O policy_;
  std::vector<trained_parameter<T>> parameters_;
  std::vector<index_t> offsets_;
  storage<T> kept_, scratch_;
};

struct no_rest {};

}  // namespace detail

/// All that an optimizer remembers of some parameters, and its updates of them. Asks for all its memory when
/// it is made. The caller's parameters and gradients stay where they are.
/// Determinism: the same bits for any number of threads
template <class T, optimizer O>
class optimizer_state {
  static_assert(explain_optimizer<O>());
  using adjuster = function_ref<void(update_info&)>;
  static constexpr auto leave = [](update_info&) {};

 public:
  optimizer_state(const O& policy, const std::vector<trained_parameter<T>>& parameters)
      : policy_(policy), own_(policy, part(parameters, true)), rest_(make_rest(parameters)) {
    formwork::validate(policy);
  }

  /// Moves all parameters by their gradients times `gradient_scale`. The gradients' values are used up.
  template <class Backend>
  void update(Backend& backend, step_t step, double lr, double gradient_scale = 1, adjuster outer = leave) {
    each_part(step, lr, gradient_scale, outer,
              [&](auto& part, const detail::optimizer_moment& now) { part.update(backend, now); });
  }

  /// True if `observe` should be called before the update of this number.
  bool samples_labels(step_t step) const {
    bool wanted = false;
    if constexpr (optimizer_with_samples<O>) wanted = policy_.samples_labels(step);
    if constexpr (detail::has_rest<O>) wanted = wanted || rest_.samples_labels(step);
    return wanted;
  }
  /// True if some updates want `observe` to be called before them.
  static constexpr bool has_samples() {
    if constexpr (detail::has_rest<O>)
      return optimizer_with_samples<O> || rest_type::has_samples();
    else
      return optimizer_with_samples<O>;
  }
  /// Shows a gradient whose labels the model has drawn, times `gradient_scale`.
  template <class Backend>
  void observe(Backend& backend, step_t step, double lr, double gradient_scale) {
    if constexpr (optimizer_with_samples<O>)
      if (policy_.samples_labels(step)) own_.observe(backend, {step, lr, gradient_scale, leave});
    if constexpr (detail::has_rest<O>) rest_.observe(backend, step, lr, gradient_scale);
  }

  /// True if some weights are evaluated in another view than they are trained in.
  static constexpr bool has_views() {
    if constexpr (detail::has_rest<O>)
      return optimizer_with_views<O> || rest_type::has_views();
    else
      return optimizer_with_views<O>;
  }
  /// Replaces the weights by those to evaluate. The caller keeps the others and puts them back.
  template <class Backend>
  void show_evaluated(Backend& backend) {
    own_.show_evaluated(backend);
    if constexpr (detail::has_rest<O>) rest_.show_evaluated(backend);
  }

  /// Calls f(prefix, parameter, data, count) for every array that must be saved, in a fixed order; the numbers
  /// are T or bfloat16.
  template <class F>
  void each_kept(F f) {
    own_.each_kept(f);
    if constexpr (detail::has_rest<O>) rest_.each_kept(f);
  }
  /// Calls f(name, number) for every number of the whole run, to read or to set it.
  void each_number(function_ref<void(const std::string&, double&)> f, int depth = 0) {
    own_.each_number([&](std::size_t i, double& number) { f(text("optimizer.", depth, ".", i), number); });
    if constexpr (detail::has_rest<O>) rest_.each_number(f, depth + 1);
  }

  const O& policy() const { return policy_; }

 private:
  template <class P>
  struct rest_of {
    using type = detail::no_rest;
  };
  template <detail::has_rest P>
  struct rest_of<P> {
    using type = optimizer_state<T, std::remove_cvref_t<decltype(std::declval<const P&>().rest)>>;
  };
  using rest_type = typename rest_of<O>::type;
  using own_type =
      std::conditional_t<matrix_optimizer<O>, detail::matrix_state<T, O>, detail::elementwise_state<T, O>>;

  std::vector<trained_parameter<T>> part(const std::vector<trained_parameter<T>>& all, bool own) const {
    if constexpr (detail::has_rest<O>) {
      std::vector<trained_parameter<T>> out;
      for (const auto& p : all)
        if (policy_.takes(p.info) == own) out.push_back(p);
      return out;
    } else {
      return all;
    }
  }
  rest_type make_rest(const std::vector<trained_parameter<T>>& all) const {
    if constexpr (detail::has_rest<O>)
      return rest_type(policy_.rest, part(all, false));
    else
      return {};
  }

  template <class F>
  void each_part(step_t step, double lr, double gradient_scale, adjuster outer, F f) {
    const auto adjust = [&](update_info& info) {
      outer(info);
      if constexpr (detail::adjusts<O>) policy_.adjust(info);
    };
    f(own_, detail::optimizer_moment{step, lr, gradient_scale, adjust});
    if constexpr (detail::has_rest<O>) rest_.each_part(step, lr, gradient_scale, adjust, f);
  }

  template <class, optimizer>
  friend class optimizer_state;

  O policy_;
  own_type own_;
  [[no_unique_address]] rest_type rest_;
};

}  // namespace formwork
