#pragma once
#include <formwork/graph/cost.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

namespace formwork {

namespace detail {

template <class Model>
concept has_two_towers = requires {
  typename Model::encoder_tower;
  typename Model::decoder_tower;
};
template <class Model>
concept has_one_tower = requires {
  typename Model::tower_type;
};

/// Operations of a whole side: embedding, layers, and what stands behind them.
template <class Tower>
constexpr layer_cost tower_cost() {
  return cost_of(Tower::embedding::graph) + Tower::layers_cost() + cost_of(Tower::end::graph);
}

}  // namespace detail

/// Costs of an `encoder_decoder`, `decoder` or `encoder`, all known to the compiler: for static_asserts on
/// budgets, reports and benchmarks. One set of functions for all three:
/// - `v` is what the model's constructor takes: two sizes for an encoder-decoder, one for the others.
/// - A `decoder` has no source: any number will do. For an `encoder`, source tokens are those it reads and
///   target tokens those that are to be predicted.
template <class Model>
struct model_cost {
  static_assert(detail::has_two_towers<Model> || detail::has_one_tower<Model>,
                "model_cost: give it an encoder_decoder, a decoder or an encoder of your configuration");
  using C = typename Model::configuration;
  using vocabulary_type = decltype(std::declval<const Model&>().vocabulary());
  static constexpr index_t scalar_bytes = sizeof(typename Model::scalar);

  /// Trainable numbers; tied tables count once.
  static constexpr index_t parameters(vocabulary_type v) { return Model::parameter_count(v); }

  /// Operations of one forward pass over sentences of `source` and `target` tokens, the output projection
  /// included, for each target token; for each source token of an `encoder`. A training step takes three
  /// times as many: for each product of the forward pass, two in the backward pass.
  static constexpr double forward_flops(double source, double target, index_t target_vocabulary) {
    const double projection = 2.0 * double(C::size.d_model) * double(target_vocabulary);
    if constexpr (detail::has_two_towers<Model>) {
      constexpr layer_cost e = detail::tower_cost<typename Model::encoder_tower>(),
                           d = detail::tower_cost<typename Model::decoder_tower>();
      const double encoder = source * (e.per_source + e.per_source_key * source);
      // Of a decoder's two attentions one sees half of the target on average, the other the source.
      const double decoder =
          source * d.per_source + target * (d.per_target + d.per_target_key / 2 * (target / 2 + source));
      return (encoder + decoder) / target + projection;
    } else {
      constexpr layer_cost c = detail::tower_cost<typename Model::tower_type>();
      if constexpr (Model::tower_type::kind == stack_kind::decoder)
        return c.per_target + c.per_target_key * target / 2 + projection;
      else
        return c.per_source + c.per_source_key * source +
               target / source * (cost_of(Model::head_program::graph).per_target + projection);
    }
  }
  static constexpr double training_flops(double source, double target, index_t target_vocabulary) {
    return 3 * forward_flops(source, target, target_vocabulary);
  }

  /// Bytes of the activation arena for batches of up to these many tokens: all a training step needs besides
  /// parameters, gradients, moments and one chunk of logits. A model rounds both numbers up to multiples of
  /// 16.
  static constexpr index_t activation_bytes(index_t source_tokens, index_t target_tokens) {
    return scalar_bytes * Model::total_extent().at(source_tokens, target_tokens);
  }
  /// Bytes of parameters, their gradients and `moments` numbers a parameter of the optimizer.
  static constexpr index_t parameter_bytes(vocabulary_type v, int moments) {
    return scalar_bytes * parameters(v) * (2 + moments);
  }
  /// Bytes of what an optimizer keeps for each parameter.
  template <class Optimizer>
  static constexpr index_t optimizer_bytes(vocabulary_type v) {
    static_assert(explain_optimizer<Optimizer>());
    constexpr bool alike = elementwise_optimizer<Optimizer> && !detail::has_rest<Optimizer>;
    static_assert(alike,
                  "optimizer_bytes: this optimizer treats shapes or roles differently; call "
                  "parameter_bytes with a number of moments");
    if constexpr (alike) return scalar_bytes * parameters(v) * Optimizer::moments;
    return 0;
  }
  /// Bytes of a training step in all, but for one chunk of logits.
  template <class Optimizer>
  static constexpr index_t training_bytes(vocabulary_type v, index_t source_tokens, index_t target_tokens) {
    return parameter_bytes(v, 0) + optimizer_bytes<Optimizer>(v) +
           activation_bytes(source_tokens, target_tokens);
  }
};

}  // namespace formwork
