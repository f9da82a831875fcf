#pragma once
// Optimizers: how one update moves one weight. The library loops over the weights and keeps the moments.
//
//   plain_sgd   weight minus rate times gradient    no memory; for studies of the plain gradient
//   sgd         with momentum, also Nesterov's      one moment; small or convolution-like problems
//   adam        Adam with L2 in the gradient        the original Transformer's optimizer
//   adamw       Adam with decoupled weight decay    the first choice for a Transformer today; BERT, GPT
//   amsgrad     Adam with rates that never grow     convergence that is certain, on convex problems
//   nadam       Adam that looks ahead, with L2      quicker first epochs; momentum warms up
//   nadamw      AdamW that looks ahead              wherever adamw is used
//   radam       Adam with rectified first updates   where warm-up is not wanted (post-norm without warm-up)
//   adabelief   divides by surprise, not by size    gradients with a steady sign
//   adan        three means, Nesterov's form        large rates and batches; four moments
//   adopt       Adam for any beta2                  beta2 is hard to choose
//   lion        sign descent, one moment            large batches, little memory
//   sophia_g    divides by an estimated curvature   language models; a pass with sampled labels now and then
//   lamb        Adam's step scaled to |w|           very large batches
//   lars        the gradient scaled to |w|          very large batches, convolution-like models
//   prodigy     AdamW that finds its rate           no learning rate can be searched for
//   adafactor   Adam with a v of rank one           memory is short; large tables
//   muon        orthogonal steps for matrices       large Transformers; adamw for tables and vectors
//   shampoo     between inverse roots of moments    few updates count more than quick ones
//   soap        Adam in shampoo's eigenbasis        the same; usually the better one
//   schedule_free_sgd, schedule_free_adamw          no length of the run is known: averages, no falling rate
//   cautious<O>   O for weights whose gradient agrees
//   lookahead<O>  slow weights that follow those of O
//   bf16_moments<O>  O that keeps its moments in 16 bits
//   groups, with_rule (groups.hpp)                  different rules for different roles, shapes or layers
//
// To write one: default constructible, hyperparameters are public members with defaults (later ones only at
// the end), a `name`, `moments` (numbers kept per weight, all zero before the first update), and two
// functions: `prepare` computes once per update and parameter what does not depend on the weight; `update`
// moves one weight. Nothing else may hold state. Weight decay belongs to updates with `update_info::decays`
// only. `update` is called with floats, doubles and SIMD batches: write constants as `V(0.5)` and use the
// functions of core/math.hpp (`formwork::sqrt`, `max`, `where`). check.hpp tests a policy against all this.
//
// That is all most optimizers have. These members are optional (P is what `prepare` returns, M is moments):
//
//   sums of a parameter   static constexpr int sums = K;
//                         std::array<V, K> measure(V w, V g, std::array<V, M> state, const P&) const;
//                         void conclude(P&, const std::array<double, K>& sums, const update_info&) const;
//                         `measure` is added up over a parameter before its weights move, and changes
//                         nothing; `conclude` puts what follows from the sums into P (trust ratios).
//   numbers of the run    struct run_state { double ...; };
//                         P prepare(const update_info&, const run_state&) const;
//                         void advance(run_state&, const update_info&) const; before the weights move, or
//                         void advance(run_state&, const update_info&, const std::array<double, K>&) const
//                         with the sums over all parameters. They are saved in checkpoints.
//   view for evaluation   V evaluated(V w, const std::array<V, M>& state) const; the weight as it is
//                         evaluated, averaged and saved, where that is not the one that gradients are for
//   sampled gradients     bool samples_labels(step_t) const; before such an update
//                         void observe(V g, std::array<V, M>& state, const P&) const
//                         sees the gradient for labels drawn from the model's own distribution, summed over
//                         B target tokens and divided by sqrt(B).
//   moments in 16 bits    using moment_type = formwork::bfloat16; see bf16_moments.hpp
//   groups by role        void adjust(update_info&) const; another rate, or other decay, for some parameters
//                         bool takes(const parameter_info&) const and a member `rest`, another optimizer: it
//                         gets the parameters that this one does not take.
//
// An optimizer of whole matrices has, instead of `moments`, `prepare` and `update`,
//   index_t kept(index_t rows, index_t columns) const      numbers kept for such a parameter
//   index_t scratch(index_t rows, index_t columns) const   numbers it needs for one step
//   void step(Backend&, const matrix_update<T>&) const     both types are template parameters
#include <formwork/policy/optimizer/forms.hpp>

namespace formwork {

/// A rule that moves the weights of a model by their gradients.
template <class O>
concept optimizer = std::default_initializable<O> && std::is_trivially_copyable_v<O> && requires {
  { O::name } -> std::convertible_to<label>;
} &&(elementwise_optimizer<O> || matrix_optimizer<O>);

namespace detail {

template <class O>
consteval void explain_matrix_optimizer() {
  static_assert(
      requires(const O& policy, index_t n) {
        { policy.scratch(n, n) } -> std::same_as<index_t>;
      },
      "optimizer: add 'formwork::index_t scratch(formwork::index_t rows, formwork::index_t columns) const'");
  static_assert(steps_matrix<O, double> && steps_matrix<O, float>,
                "optimizer: add 'template <class Backend, class T> void step(Backend&, const "
                "formwork::matrix_update<T>&) const'");
}

template <class O>
consteval void explain_elementwise_optimizer() {
  static_assert(
      has_moments<O>,
      "optimizer: add 'static constexpr int moments = 1;', how many numbers are kept per weight, 0 or more");
  static_assert(std::is_same_v<moment_of<O, bfloat16>, bfloat16>,
                "optimizer: moment_type can be formwork::bfloat16, or left out");
  static_assert(!has_run_state<O> || doubles_only<run_state_of<O>>,
                "optimizer: run_state must be a plain struct of doubles with default values");
  static_assert(prepares<O>,
                "optimizer: add 'auto prepare(const formwork::update_info&) const', returning a number or "
                "plain struct");
  static_assert(
      moves<O, double>,
      "optimizer: add 'void update(V& w, V g, std::array<V, moments>& state, const prepared& p) const'");
  static_assert(moves<O, float>,
                "optimizer: make update a template: 'template <class V> void update(V& w, ...'");
}

template <class O>
consteval void explain_optional_members() {
  if constexpr (requires { &O::sums; }) {
    static_assert(has_sums<O>, "optimizer: write 'static constexpr int sums = 1;', 1 or more");
    static_assert(measures<O, double> && measures<O, float>,
                  "optimizer: add 'template <class V> std::array<V, sums> measure(V w, V g, std::array<V, "
                  "moments> state, const prepared& p) const'");
    static_assert(concludes<O> || advances_with_sums<O>,
                  "optimizer: add 'void conclude(prepared&, const std::array<double, sums>&, const "
                  "formwork::update_info&) const'");
  }
  static_assert(!has_run_state<O> || advances_alone<O> || advances_with_sums<O>,
                "optimizer: add 'void advance(run_state&, const formwork::update_info&) const'");
  static_assert(!views<O, double> || views<O, float>,
                "optimizer: make evaluated a template: 'template <class V> V evaluated(V w, ...'");
  static_assert(!has_samples_labels<O> || (observes<O, double> && observes<O, float>),
                "optimizer: add 'template <class V> void observe(V g, std::array<V, moments>& state, const "
                "prepared& p) const'");
}

}  // namespace detail

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
  if constexpr (detail::has_kept<O>) {
    detail::explain_matrix_optimizer<O>();
  } else {
    detail::explain_elementwise_optimizer<O>();
    detail::explain_optional_members<O>();
  }
  static_assert(
      detail::has_takes<O> == detail::has_rest<O>,
      "optimizer: 'bool takes(const formwork::parameter_info&) const' and a member 'rest' need each "
      "other");
  if constexpr (detail::has_rest<O>)
    static_assert(explain_optimizer<std::remove_cvref_t<decltype(std::declval<const O&>().rest)>>());
  return optimizer<O>;
}

/// What `prepare` of an optimizer returns: the numbers of one update of one parameter.
template <elementwise_optimizer O>
using prepared_of = detail::prepared_type<O>;

}  // namespace formwork
