#pragma once
#include <formwork/model/encoder_decoder.hpp>

namespace formwork {

/// Transformer decoder without an encoder, a language model: causal layers and an output projection. Takes
/// the target side of a batch (sequence_pairs): reads target_in, predicts target_out.
/// Source: Radford et al. 2018, section 3.1
template <class C, class Backend = cpu_backend>
class decoder {
  static_assert(check_config<C, false, true>());

 public:
  using configuration = C;
  using scalar = typename C::precision::scalar;
  using backend_type = Backend;
  using single = detail::one_vocabulary<C>;
  using tower_type = tower<single, Backend, axis::target, causal_layer>;

  /// A model with initial parameters. Requires: a vocabulary of 1 to 2^31 - 1 entries (checked)
  template <class Initialiser>
  decoder(index_t vocabulary, const Initialiser& initialiser, std::uint64_t seed = 1)
      : vocabulary_(vocabulary) {
    detail::check_vocabulary("decoder", vocabulary);
    validate(initialiser);
    const parameter_info info{.decoder_layers = C::size.decoder_layers};
    tower_.declare_embedding(parameters_, "target", info, vocabulary, vocabulary);
    tower_.declare_layers(parameters_, "decoder", info);
    output_ = parameters_.declare(output_layer<single>::graph, "", info, vocabulary, vocabulary);
    parameters_.initialise(initialiser, seed, detail::gain_of<typename C::placement>,
                           detail::start_of<typename C::placement>());
  }

  /// Number of trainable numbers; a tied table counts once.
  static constexpr index_t parameter_count(index_t vocabulary) {
    const auto shared = [vocabulary](const graph& g) {
      return formwork::parameter_count(g, true, vocabulary, vocabulary);
    };
    index_t n = tower_type::parameter_count(vocabulary, vocabulary) + shared(tower_type::embedding::graph);
    if (C::ties == tying::none)
      n += shared(output_layer<single>::graph);
    else if (C::output_bias)
      n += vocabulary;
    return n;
  }

  parameter_store<scalar>& parameters() { return parameters_; }
  const parameter_store<scalar>& parameters() const { return parameters_; }
  index_t vocabulary() const { return vocabulary_; }

  /// Makes room for batches of up to so many tokens and sequences of up to `longest`: later steps allocate
  /// nothing.
  void reserve(index_t tokens, index_t longest) {
    positions_.reserve(longest);
    arena_.reserve(total_extent(), 0, tokens);
  }
  /// Elements of the activation arena for a number of target tokens.
  static constexpr extent total_extent() {
    return tower_type::kept + tower_type::gradient_room + tower_type::scratch;
  }

  /// Forward and backward pass: adds the gradient of the SUM of the loss over all tokens to
  /// `parameters().gradients()` and returns that sum.
  loss_sums train(Backend& backend, const sequence_pairs& batch, const smoothed_cross_entropy& loss,
                  const pass_options& options) {
    const pass_state<scalar> pass = start(batch, options);
    const matrix_view<scalar> x = forward(backend, pass);
    layer_memory<scalar> gradients = memory();
    gradients.stream[0] = arena_.at(tower_type::kept);
    const matrix_view<scalar> dx(gradients.stream[0], x.rows, x.width);
    const loss_sums sums = loss.gradient(backend, x, output_head(), batch.target_out, dx);
    tower_.backward(backend, pass, memory(), gradients, parameters_);
    return sums;
  }
  /// Forward pass without dropout: the loss alone.
  loss_sums evaluate(Backend& backend, const sequence_pairs& batch, const smoothed_cross_entropy& loss) {
    return loss.value(backend, forward(backend, start(batch, {})), output_head(), batch.target_out);
  }
  /// Log-probabilities of every vocabulary entry at every position, [N, V].
  void log_probabilities(Backend& backend, const sequence_pairs& batch, matrix_view<scalar> out) {
    output_log_probabilities(backend, forward(backend, start(batch, {})), output_head(), out);
  }

  /// Forward pass, then see(stack, layer, stream, values [N, D]) for every stream that leaves a layer.
  template <class F>
  void observe(Backend& backend, const sequence_pairs& batch, const pass_options& options, F see) {
    const pass_state<scalar> pass = start(batch, options);
    forward(backend, pass);
    tower_.each_output(pass, memory(), see);
  }

  /// The output projection: weight [V, D] and bias.
  projection_head<scalar> output_head() {
    return head_at(output_, parameters_, vocabulary_, C::size.d_model, C::output_bias);
  }
  const tower_type& stack() const { return tower_; }

 private:
  layer_memory<scalar> memory() {
    return {.target_rows = arena_.target_rows(),
            .kept = arena_.at({}),
            .scratch = arena_.at(tower_type::kept + tower_type::gradient_room)};
  }
  pass_state<scalar> start(const sequence_pairs& batch, const pass_options& options) {
    parameters_.require_values();
    reserve(batch.target_rows.rows(), longest_of(batch.target_rows));
    return {.rows = {{}, batch.target_rows},
            .ids = {nullptr, batch.target_in},
            .dropout = options.dropout,
            .seed = options.seed,
            .step = options.step,
            .positions = positions_.view()};
  }
  matrix_view<scalar> forward(Backend& backend, const pass_state<scalar>& pass) {
    return {tower_.forward(backend, pass, memory(), parameters_), pass.of(axis::target).rows(),
            C::size.d_model};
  }

  index_t vocabulary_;
  parameter_store<scalar> parameters_;
  tower_type tower_;
  parameter_places output_;
  activation_arena<scalar> arena_;
  position_table<C> positions_;
};

}  // namespace formwork
