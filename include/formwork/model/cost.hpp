#pragma once
#include <formwork/graph/cost.hpp>
#include <formwork/model/encoder_decoder.hpp>

namespace formwork {

/// Costs of a model, all known to the compiler: for static_asserts on budgets, reports and benchmarks.
template <class Model>
struct model_cost {
  using C = typename Model::configuration;

  /// Operations of one forward pass over sentences of `source` and `target` tokens, for each target token,
  /// the output projection included. A training step takes three times as many: for each product of the
  /// forward pass, two in the backward pass.
  static constexpr double forward_flops(double source, double target, index_t target_vocabulary) {
    const layer_cost e = Model::encoder_tower::layers_cost(), d = Model::decoder_tower::layers_cost();
    const double encoder = source * (e.per_source + e.per_source_key * source);
    // Of a decoder's two attentions one sees half of the target on average, the other the source.
    const double decoder =
        source * d.per_source + target * (d.per_target + d.per_target_key / 2 * (target / 2 + source));
    return (encoder + decoder) / target + 2.0 * double(C::size.d_model) * double(target_vocabulary);
  }
  static constexpr double training_flops(double source, double target, index_t target_vocabulary) {
    return 3 * forward_flops(source, target, target_vocabulary);
  }
  /// Bytes of the activation arena for batches of up to these many tokens: all a training step needs besides
  /// parameters, gradients, moments and one chunk of logits.
  static constexpr index_t activation_bytes(index_t source_tokens, index_t target_tokens) {
    return index_t(sizeof(typename Model::scalar)) * Model::total_extent().at(source_tokens, target_tokens);
  }
  /// Bytes of parameters, their gradients and `moments` numbers a parameter of the optimizer.
  static constexpr index_t parameter_bytes(vocabulary_sizes v, int moments) {
    return index_t(sizeof(typename Model::scalar)) * Model::parameter_count(v) * (2 + moments);
  }
};

}  // namespace formwork
