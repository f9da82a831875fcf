#pragma once
#include <formwork/model/activation_arena.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/model/position_table.hpp>
#include <formwork/model/tower.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Sizes of the two vocabularies, known when the data is read.
struct vocabulary_sizes {
  index_t source = 0, target = 0;
};

/// Sequences of a batch as the model sees them: packed tokens and boundaries, no padding. A view.
struct sequence_pairs {
  const token_t* source = nullptr;      // [N source tokens]
  const token_t* target_in = nullptr;   // [N target tokens], what the decoder reads
  const token_t* target_out = nullptr;  // [N target tokens], what it should say
  sequences source_rows{}, target_rows{};
};

/// Everything about one training pass that is not the batch.
struct pass_options {
  dropout_rates dropout{};
  std::uint64_t seed = 1;  ///< of the dropout masks
  std::uint32_t step = 0;  ///< number of the batch since the start of the run: each has masks of its own
};

namespace detail {

/// Requires: a vocabulary that tokens can number.
inline void check_vocabulary(const char* model, index_t entries) {
  constexpr index_t most = std::numeric_limits<token_t>::max();
  if (entries < 1 || entries > most)
    fail(model, ": a vocabulary of ", entries, " entries, expected 1 to ", most);
}

}  // namespace detail

/// Transformer encoder-decoder, everything about it derived from configuration C: parameters, forward and
/// backward pass, memory. Layers of a stack share one compiled program; depth is a loop.
/// Source: Vaswani et al. 2017, section 3
template <class C, class Backend = cpu_backend>
class encoder_decoder {
  static_assert(check_config<C>());

 public:
  using configuration = C;
  using scalar = typename C::precision::scalar;
  using backend_type = Backend;
  using encoder_tower = tower<C, Backend, axis::source, encoder_layer>;
  using decoder_tower = tower<C, Backend, axis::target, decoder_layer>;

  /// A model with initial parameters.
  /// Requires: vocabularies of 1 to 2^31 - 1 entries, equal ones if all tables are tied; an initialiser whose
  ///           values are finite (checked)
  template <class Initialiser>
  encoder_decoder(vocabulary_sizes vocabulary, const Initialiser& initialiser, std::uint64_t seed = 1)
      : vocabulary_(vocabulary) {
    for (const index_t entries : {vocabulary.source, vocabulary.target})
      detail::check_vocabulary("encoder_decoder", entries);
    validate(initialiser);
    const parameter_info info{.encoder_layers = C::size.encoder_layers,
                              .decoder_layers = C::size.decoder_layers};
    encoder_.declare_embedding(parameters_, "source", info, vocabulary.source, vocabulary.target);
    decoder_.declare_embedding(parameters_, "target", info, vocabulary.source, vocabulary.target);
    encoder_.declare_layers(parameters_, "encoder", info);
    decoder_.declare_layers(parameters_, "decoder", info);
    output_ = parameters_.declare(output_layer<C>::graph, "", info, vocabulary.source, vocabulary.target);
    parameters_.initialise(initialiser, seed, detail::gain_of<typename C::placement>,
                           detail::start_of<typename C::placement>());
  }

  /// Number of trainable numbers; tied tables count once. Known at compile time but for the vocabularies.
  static constexpr index_t parameter_count(vocabulary_sizes v) {
    const auto shared = [v](const graph& g) {
      return formwork::parameter_count(g, true, v.source, v.target);
    };
    index_t n = encoder_tower::parameter_count(v.source, v.target) +
                decoder_tower::parameter_count(v.source, v.target) + shared(encoder_tower::embedding::graph);
    if (C::ties != tying::all) n += shared(decoder_tower::embedding::graph);
    if (C::ties == tying::none)
      n += shared(output_layer<C>::graph);
    else if (C::output_bias)
      n += v.target;
    return n;
  }

  parameter_store<scalar>& parameters() { return parameters_; }
  const parameter_store<scalar>& parameters() const { return parameters_; }
  vocabulary_sizes vocabulary() const { return vocabulary_; }

  /// Makes room for batches of up to these many tokens and sequences of up to `longest` tokens. Called by
  /// itself when a batch is larger; call it once at the start and no later step allocates.
  void reserve(index_t source_tokens, index_t target_tokens, index_t longest) {
    reserve_positions(longest);
    arena_.reserve(total_extent(), source_tokens, target_tokens);
  }
  /// Elements of the activation arena for these token counts: the memory plan's size.
  static constexpr extent total_extent() { return kept + gradient_room + scratch; }

  /// Forward and backward pass: adds the gradient of the SUM of the loss over all target tokens to
  /// `parameters().gradients()` and returns that sum.
  loss_sums train(Backend& backend, const sequence_pairs& batch, const smoothed_cross_entropy& loss,
                  const pass_options& options) {
    const pass_state<scalar> pass = start(batch, options);
    forward(backend, pass);
    const matrix_view<scalar> dx(decoder_gradients(), batch.target_rows.rows(), C::size.d_model);
    const loss_sums sums = loss.gradient(backend, decoder_result(), output_head(), batch.target_out, dx);
    backward(backend, pass);
    return sums;
  }

  /// Forward pass without dropout: the loss alone.
  loss_sums evaluate(Backend& backend, const sequence_pairs& batch, const smoothed_cross_entropy& loss) {
    forward(backend, start(batch, {}));
    return loss.value(backend, decoder_result(), output_head(), batch.target_out);
  }

  /// Log-probabilities of every vocabulary entry at every target position, [N, V].
  void log_probabilities(Backend& backend, const sequence_pairs& batch, matrix_view<scalar> out) {
    forward(backend, start(batch, {}));
    output_log_probabilities(backend, decoder_result(), output_head(), out);
  }

  /// Forward pass, then see(stack, layer, stream, values [N, D]) for every stream that leaves a layer.
  template <class F>
  void observe(Backend& backend, const sequence_pairs& batch, const pass_options& options, F see) {
    const pass_state<scalar> pass = start(batch, options);
    forward(backend, pass);
    encoder_.each_output(pass, memory_at({}), see);
    decoder_.each_output(pass, decoder_memory(), see);
  }

  /// The encoder's result for the sources of a batch, [N, D]; valid until the next pass.
  matrix_view<scalar> encode(Backend& backend, const token_t* source, const sequences& rows) {
    const sequence_pairs batch{.source = source, .source_rows = rows};
    forward_encoder(backend, start(batch, {}));
    return {memory_, rows.rows(), C::size.d_model};
  }

  /// The output projection: weight [V, D] and bias.
  projection_head<scalar> output_head() {
    return head_at(output_, parameters_, vocabulary_.target, C::size.d_model, C::output_bias);
  }

  /// The two sides; decoding runs the layers of the decoder itself (incremental_decoder.hpp).
  const encoder_tower& encoder() const { return encoder_; }
  const decoder_tower& decoder() const { return decoder_; }
  matrix_view<const scalar> position_code() const { return positions_.view(); }
  void reserve_positions(index_t longest) { positions_.reserve(longest); }

 private:
  // The arena: what both sides keep, the gradients of their streams, scratch.
  static constexpr extent kept = encoder_tower::kept + decoder_tower::kept;
  static constexpr extent gradient_room = encoder_tower::gradient_room + decoder_tower::gradient_room;
  static constexpr extent scratch = upper(encoder_tower::scratch, decoder_tower::scratch);

  scalar* encoder_gradients() { return arena_.at(kept); }
  scalar* decoder_gradients() { return arena_.at(kept + encoder_tower::gradient_room); }

  /// Memory of a side whose kept values begin at `first`.
  layer_memory<scalar> memory_at(extent first) {
    return {.source_rows = arena_.source_rows(),
            .target_rows = arena_.target_rows(),
            .memory = memory_,
            .d_memory = encoder_gradients(),
            .kept = arena_.at(first),
            .scratch = arena_.at(kept + gradient_room)};
  }
  layer_memory<scalar> decoder_memory() { return memory_at(encoder_tower::kept); }
  layer_memory<scalar> gradients_at(scalar* block) {
    layer_memory<scalar> m = memory_at({});
    m.stream[0] = block;
    return m;
  }
  static pass_state<scalar> in_decoder(pass_state<scalar> pass) {
    pass.first_site += encoder_tower::sites;
    return pass;
  }

  pass_state<scalar> start(const sequence_pairs& batch, const pass_options& options) {
    parameters_.require_values();
    reserve(batch.source_rows.rows(), batch.target_rows.rows(),
            std::max(longest_of(batch.source_rows), longest_of(batch.target_rows)));
    return {.rows = {batch.source_rows, batch.target_rows},
            .ids = {batch.source, batch.target_in},
            .dropout = options.dropout,
            .seed = options.seed,
            .step = options.step,
            .positions = position_code()};
  }

  void forward_encoder(Backend& backend, const pass_state<scalar>& pass) {
    memory_ = encoder_.forward(backend, pass, memory_at({}), parameters_);
  }
  void forward(Backend& backend, const pass_state<scalar>& pass) {
    forward_encoder(backend, pass);
    decoder_result_ = {decoder_.forward(backend, in_decoder(pass), decoder_memory(), parameters_),
                       pass.of(axis::target).rows(), C::size.d_model};
  }
  matrix_view<scalar> decoder_result() const { return decoder_result_; }

  void backward(Backend& backend, const pass_state<scalar>& pass) {
    std::fill_n(encoder_gradients(), pass.of(axis::source).rows() * C::size.d_model, scalar(0));
    decoder_.backward(backend, in_decoder(pass), decoder_memory(), gradients_at(decoder_gradients()),
                      parameters_);
    encoder_.backward(backend, pass, memory_at({}), gradients_at(encoder_gradients()), parameters_);
  }

  vocabulary_sizes vocabulary_;
  parameter_store<scalar> parameters_;
  encoder_tower encoder_;
  decoder_tower decoder_;
  parameter_places output_;

  activation_arena<scalar> arena_;
  position_table<C> positions_;
  scalar* memory_ = nullptr;
  matrix_view<scalar> decoder_result_{};
};

}  // namespace formwork
