#pragma once
// The members that the library looks for in an optimizer; optimizer.hpp says what they are for.
#include <formwork/core/bfloat16.hpp>
#include <formwork/core/fixed_string.hpp>
#include <formwork/core/update.hpp>
#include <formwork/tensor/view.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace formwork {

/// One parameter and its gradient, as an optimizer of whole matrices gets them.
template <class T>
struct matrix_update {
  matrix_view<T> w;      // [rows, columns], to be moved; a vector is [n, 1]
  matrix_view<T> g;      // [rows, columns], the gradient as it counts; may be overwritten
  T* kept = nullptr;     // [policy.kept(rows, columns)], saved; zero before the first update
  T* scratch = nullptr;  // [policy.scratch(rows, columns)], contents undefined
  const update_info& info;
};

namespace detail {

// The address tells a static member from one of each object, which g++ would not forgive in a constant.
template <class O>
concept has_moments = requires {
  { &O::moments } -> std::same_as<const int*>;
}
&&(O::moments >= 0);

template <class O>
concept has_sums = requires {
  { &O::sums } -> std::same_as<const int*>;
}
&&(O::sums >= 1);

template <class O>
concept has_run_state = requires {
  typename O::run_state;
};

struct no_run_state {};
template <class O>
struct run_state_type {
  using type = no_run_state;
};
template <has_run_state O>
struct run_state_type<O> {
  using type = typename O::run_state;
};

template <class O>
concept has_moment_type = requires {
  typename O::moment_type;
};

template <class O, class T>
struct moment_storage {
  using type = T;
};
template <has_moment_type O, class T>
struct moment_storage<O, T> {
  using type = typename O::moment_type;
};

}  // namespace detail

/// What one moment of a weight is stored as: as the weight, or as bfloat16.
template <class O, class T>
using moment_of = typename detail::moment_storage<O, T>::type;

/// The numbers that an optimizer keeps for the whole run; an empty struct for most.
template <class O>
using run_state_of = typename detail::run_state_type<O>::type;

namespace detail {

template <class O>
auto prepare(const O& policy, const update_info& info, const run_state_of<O>& run) {
  if constexpr (requires { policy.prepare(info, run); })
    return policy.prepare(info, run);
  else
    return policy.prepare(info);
}

template <class O>
concept prepares = requires(const O& policy, const update_info& info) {
  policy.prepare(info);
  requires std::is_trivially_copyable_v<decltype(policy.prepare(info))>;
}
|| (has_run_state<O> && requires(const O& policy, const update_info& info, const run_state_of<O>& run) {
  policy.prepare(info, run);
  requires std::is_trivially_copyable_v<decltype(policy.prepare(info, run))>;
});

template <class O>
using prepared_type = decltype(prepare(std::declval<const O&>(), std::declval<const update_info&>(),
                                       std::declval<const run_state_of<O>&>()));

template <class O, class V>
using state_array = std::array<V, std::size_t(O::moments)>;
template <class O, class V>
using sums_array = std::array<V, std::size_t(O::sums)>;

template <class O, class V>
concept moves = requires(const O& policy, V& w, V g, state_array<O, V>& state, const prepared_type<O>& p) {
  { policy.update(w, g, state, p) } -> std::same_as<void>;
};

template <class O, class V>
concept measures = requires(const O& policy, V w, V g, const state_array<O, V>& state,
                            const prepared_type<O>& p) {
  { policy.measure(w, g, state, p) } -> std::same_as<sums_array<O, V>>;
};

template <class O>
concept concludes = requires(const O& policy, prepared_type<O>& p, const sums_array<O, double>& sums,
                             const update_info& info) {
  policy.conclude(p, sums, info);
};

// Numbers of a run are saved one by one. An empty struct has none.
template <class R>
concept doubles_only = std::is_trivially_copyable_v<R> && std::default_initializable<R> &&
    (std::is_empty_v<R> || sizeof(R) % sizeof(double) == 0);

template <class O>
concept advances_with_sums = has_sums<O> &&
    requires(const O& policy, run_state_of<O>& run, const update_info& info,
             const sums_array<O, double>& sums) {
  policy.advance(run, info, sums);
};
template <class O>
concept advances_alone = requires(const O& policy, run_state_of<O>& run, const update_info& info) {
  policy.advance(run, info);
};

template <class O, class V>
concept views = requires(const O& policy, V w, const state_array<O, V>& state) {
  { policy.evaluated(w, state) } -> std::same_as<V>;
};

template <class O, class V>
concept observes = requires(const O& policy, V g, state_array<O, V>& state, const prepared_type<O>& p) {
  { policy.observe(g, state, p) } -> std::same_as<void>;
};
template <class O>
concept has_samples_labels = requires(const O& policy, step_t step) {
  { policy.samples_labels(step) } -> std::same_as<bool>;
};

struct any_backend {};
template <class O>
concept has_kept = requires(const O& policy, index_t n) {
  { policy.kept(n, n) } -> std::same_as<index_t>;
};
template <class O, class T>
concept steps_matrix = requires(const O& policy, any_backend& backend, const matrix_update<T>& u) {
  { policy.step(backend, u) } -> std::same_as<void>;
};

template <class O>
concept adjusts = requires(const O& policy, update_info& info) {
  policy.adjust(info);
};
template <class O>
concept has_takes = requires(const O& policy, const parameter_info& info) {
  { policy.takes(info) } -> std::same_as<bool>;
};
template <class O>
concept has_rest = requires(const O& policy) {
  policy.rest;
};

}  // namespace detail

/// An optimizer that moves a weight by its own numbers and a few of the whole parameter or run.
template <class O>
concept elementwise_optimizer =
    detail::has_moments<O> && detail::prepares<O> && detail::moves<O, double> && detail::moves<O, float>;

/// An optimizer that moves whole parameters, given as matrices.
template <class O>
concept matrix_optimizer = detail::has_kept<O> && detail::steps_matrix<O, double> &&
    detail::steps_matrix<O, float> && requires(const O& policy, index_t n) {
  { policy.scratch(n, n) } -> std::same_as<index_t>;
};

/// True if weights are evaluated and saved in another view than they are trained in.
template <class O>
concept optimizer_with_views = detail::has_moments<O> && detail::views<O, double> && detail::views<O, float>;

/// True if the optimizer sometimes wants a gradient whose labels the model has drawn.
template <class O>
concept optimizer_with_samples = detail::has_samples_labels<O>;

}  // namespace formwork
