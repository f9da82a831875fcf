#pragma once
// Optimizers: how one update moves one weight. The library loops over the weights and keeps the moments.
//
//   plain_sgd  weight minus rate times gradient     no memory; for studies of the plain gradient
//   sgd        with momentum, also Nesterov's       one moment; small or convolution-like problems
//   adam       Adam with L2 in the gradient         the original Transformer's optimizer
//   adamw      Adam with decoupled weight decay     the first choice for a Transformer today; BERT, GPT
//   radam      Adam with rectified first updates    where warm-up is not wanted (post-norm without warm-up)
//
// To write one: default constructible, hyperparameters are public members with defaults (later ones only at
// the end), a `name`, `moments` (numbers kept per weight, all zero before the first update), and two
// functions: `prepare` computes once per update and parameter what does not depend on the weight; `update`
// moves one weight. Nothing else may hold state. Weight decay belongs to updates with `update_info::decays`
// only. `update` is called with floats, doubles and SIMD batches: write constants as `V(0.5)` and use the
// functions of core/math.hpp (`formwork::sqrt`, `max`, `where`). check.hpp tests a policy against all this.
#include <formwork/core/fixed_string.hpp>
#include <formwork/core/update.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace formwork {

namespace detail {

// The address tells a static member from one of each object, which g++ would not forgive in a constant.
template <class O>
concept has_moments = requires {
  { &O::moments } -> std::same_as<const int*>;
}
&&(O::moments >= 0);

template <class O>
concept prepares = requires(const O& policy, const update_info& info) {
  policy.prepare(info);
  requires std::is_trivially_copyable_v<decltype(policy.prepare(info))>;
};

template <class O, class V>
concept moves = requires(const O& policy, V& w, V g, std::array<V, std::size_t(O::moments)>& state,
                         const update_info& info) {
  { policy.update(w, g, state, policy.prepare(info)) } -> std::same_as<void>;
};

}  // namespace detail

/// A rule that moves each weight by its gradient, its own moments and a few numbers per update.
template <class O>
concept optimizer = std::default_initializable<O> && std::is_trivially_copyable_v<O> && requires {
  { O::name } -> std::convertible_to<label>;
} && detail::has_moments<O> && detail::prepares<O> && detail::moves<O, double> && detail::moves<O, float>;

/// Says in one sentence what a type lacks to be an optimizer.
template <class O>
consteval bool explain_optimizer() {
  static_assert(std::default_initializable<O>, "optimizer: give every member a default value");
  static_assert(std::is_trivially_copyable_v<O>,
                "optimizer: keep plain numbers as members; what a weight remembers belongs into 'state'");
  static_assert(
      requires {
        { O::name } -> std::convertible_to<label>;
      },
      "optimizer: add 'static constexpr formwork::label name = \"...\";'");
  static_assert(
      detail::has_moments<O>,
      "optimizer: add 'static constexpr int moments = 1;', how many numbers are kept per weight, 0 or more");
  static_assert(detail::prepares<O>,
                "optimizer: add 'auto prepare(const formwork::update_info&) const', returning a number or "
                "plain struct");
  static_assert(
      detail::moves<O, double>,
      "optimizer: add 'void update(V& w, V g, std::array<V, moments>& state, const prepared& p) const'");
  static_assert(detail::moves<O, float>,
                "optimizer: make update a template: 'template <class V> void update(V& w, ...'");
  return optimizer<O>;
}

/// What `prepare` of an optimizer returns: the numbers of one update of one parameter.
template <optimizer O>
using prepared_of = decltype(std::declval<const O&>().prepare(std::declval<const update_info&>()));

}  // namespace formwork
