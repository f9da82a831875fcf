#pragma once
#include <formwork/kernels/cpu/embedding.hpp>
#include <formwork/model/encoder_decoder.hpp>

namespace formwork {

/// A batch for an encoder with a masked-language-model head: packed tokens, some of which are to be
/// predicted. A view.
struct masked_tokens {
  const token_t* tokens = nullptr;    // [N], masked ones replaced already
  const token_t* segments = nullptr;  // [N]; null: all are of segment 0
  sequences rows{};
  const token_t* positions = nullptr;  // [M], rows of the packed batch that are to be predicted
  const token_t* labels = nullptr;     // [M], what stands there
  index_t predicted = 0;               // M
};

/// Transformer encoder with a masked-language-model head: layers that see the whole sequence, a
/// transformation of the picked rows, and an output projection.
/// Source: Devlin et al. 2019, section 3
template <class C, class Backend = cpu_backend>
class encoder {
  static_assert(check_config<C, true, false>());

 public:
  using configuration = C;
  using scalar = typename C::precision::scalar;
  using backend_type = Backend;
  using single = detail::one_vocabulary<C>;
  using tower_type = tower<single, Backend, axis::source, encoder_layer>;
  using head_program = program<masked_head<single>, typename C::dialect, scalar, Backend>;

  /// A model with initial parameters. Requires: a vocabulary of 1 to 2^31 - 1 entries (checked)
  template <class Initialiser>
  encoder(index_t vocabulary, const Initialiser& initialiser, std::uint64_t seed = 1)
      : vocabulary_(vocabulary) {
    detail::check_vocabulary("encoder", vocabulary);
    validate(initialiser);
    const parameter_info info{.encoder_layers = C::size.encoder_layers};
    tower_.declare_embedding(parameters_, "source", info, vocabulary, vocabulary);
    tower_.declare_layers(parameters_, "encoder", info);
    head_.declare(parameters_, "head", false, 1, info, vocabulary, vocabulary);
    output_ = parameters_.declare(output_layer<single>::graph, "", info, vocabulary, vocabulary);
    parameters_.initialise(initialiser, seed, detail::gain_of<typename C::placement>,
                           detail::start_of<typename C::placement>());
  }

  /// Number of trainable numbers; a tied table counts once.
  static constexpr index_t parameter_count(index_t vocabulary) {
    const auto shared = [vocabulary](const graph& g) {
      return formwork::parameter_count(g, true, vocabulary, vocabulary);
    };
    index_t n = tower_type::parameter_count(vocabulary, vocabulary) + shared(tower_type::embedding::graph) +
                formwork::parameter_count(head_program::graph, false, vocabulary, vocabulary);
    if (C::ties == tying::none)
      n += shared(output_layer<single>::graph);
    else if (C::output_bias)
      n += vocabulary;
    return n;
  }

  parameter_store<scalar>& parameters() { return parameters_; }
  const parameter_store<scalar>& parameters() const { return parameters_; }
  index_t vocabulary() const { return vocabulary_; }

  /// Makes room for batches of up to so many tokens, of which up to `predicted` are predicted, and sequences
  /// of up to `longest`: later steps allocate nothing.
  void reserve(index_t tokens, index_t predicted, index_t longest) {
    positions_.reserve(longest);
    if (C::segments > 0 && index_t(first_segment_.size()) < tokens)
      first_segment_.resize(std::size_t(tokens), 0);
    arena_.reserve(total_extent(), tokens, predicted);
  }
  /// Elements of the activation arena for numbers of tokens (as source) and of predicted ones (as target).
  static constexpr extent total_extent() { return kept + gradient_room + scratch; }

  /// Forward and backward pass: adds the gradient of the SUM of the loss over all predicted tokens to
  /// `parameters().gradients()` and returns that sum.
  loss_sums train(Backend& backend, const masked_tokens& batch, const smoothed_cross_entropy& loss,
                  const pass_options& options) {
    const pass_state<scalar> pass = start(batch, options);
    const matrix_view<scalar> x = forward(backend, pass, batch);
    const index_t picked_starts[] = {0, batch.predicted};
    layer_memory<scalar> gradients = memory();
    gradients.stream[0] = arena_.at(kept + tower_type::gradient_room);
    const matrix_view<scalar> dpicked(gradients.stream[0], batch.predicted, C::size.d_model);
    const loss_sums sums = loss.gradient(backend, x, output_head(), batch.labels, dpicked);
    head_.backward(backend, head_pass(pass, picked_starts), head_memory(), {picked()}, gradients,
                   parameters_);
    gradients.stream[0] = arena_.at(kept);
    const matrix_view<scalar> dx(gradients.stream[0], batch.rows.rows(), C::size.d_model);
    std::fill_n(dx.data, dx.rows * dx.width, scalar(0));
    cpu::scatter_add<scalar>(backend, batch.positions, dpicked, 1, dx);
    tower_.backward(backend, pass, memory(), gradients, parameters_);
    return sums;
  }
  /// Forward pass without dropout: the loss alone.
  loss_sums evaluate(Backend& backend, const masked_tokens& batch, const smoothed_cross_entropy& loss) {
    return loss.value(backend, forward(backend, start(batch, {}), batch), output_head(), batch.labels);
  }
  /// Log-probabilities of every vocabulary entry at every predicted position, [M, V].
  void log_probabilities(Backend& backend, const masked_tokens& batch, matrix_view<scalar> out) {
    output_log_probabilities(backend, forward(backend, start(batch, {}), batch), output_head(), out);
  }
  /// The result of the layers for all tokens, [N, D]; valid until the next pass.
  matrix_view<scalar> encode(Backend& backend, const masked_tokens& batch) {
    const pass_state<scalar> pass = start(batch, {});  // before memory() is asked where the memory is
    return {tower_.forward(backend, pass, memory(), parameters_), batch.rows.rows(), C::size.d_model};
  }

  /// Forward pass, then see(stack, layer, stream, values [N, D]) for every stream that leaves a layer.
  template <class F>
  void observe(Backend& backend, const masked_tokens& batch, const pass_options& options, F see) {
    const pass_state<scalar> pass = start(batch, options);
    forward(backend, pass, batch);
    tower_.each_output(pass, memory(), see);
  }

  /// The output projection: weight [V, D] and bias.
  projection_head<scalar> output_head() {
    return head_at(output_, parameters_, vocabulary_, C::size.d_model, C::output_bias);
  }
  const tower_type& stack() const { return tower_; }

 private:
  // The arena: what the tower keeps, the picked rows, what the head keeps, gradients of both, scratch.
  static constexpr extent picked_room{.target = C::size.d_model};
  static constexpr extent kept = tower_type::kept + picked_room + head_program::values.kept;
  static constexpr extent gradient_room = tower_type::gradient_room + picked_room;
  static constexpr extent scratch = upper(tower_type::scratch, head_program::scratch);

  scalar* picked() { return arena_.at(tower_type::kept); }
  layer_memory<scalar> memory() {
    return {.source_rows = arena_.source_rows(),
            .target_rows = arena_.target_rows(),
            .kept = arena_.at({}),
            .scratch = arena_.at(kept + gradient_room)};
  }
  layer_memory<scalar> head_memory() {
    layer_memory<scalar> m = memory();
    m.kept = arena_.at(tower_type::kept + picked_room);
    return m;
  }
  pass_state<scalar> start(const masked_tokens& batch, const pass_options& options) {
    parameters_.require_values();
    if (batch.predicted < 0) fail("encoder: ", batch.predicted, " tokens to be predicted, expected 0 or more");
    reserve(batch.rows.rows(), batch.predicted, longest_of(batch.rows));
    return {.rows = {batch.rows, {}},
            .ids = {batch.tokens, nullptr},
            .segments = batch.segments ? batch.segments : first_segment_.data(),
            .dropout = options.dropout,
            .seed = options.seed,
            .step = options.step,
            .positions = positions_.view()};
  }
  /// The pass of the head: the picked rows are one sequence of the target axis.
  pass_state<scalar> head_pass(pass_state<scalar> pass, const index_t (&starts)[2]) const {
    pass.rows[int(axis::target)] = {starts, 1};
    pass.first_site += tower_type::sites;
    return pass;
  }
  /// What the output projection reads, [M, D].
  matrix_view<scalar> forward(Backend& backend, const pass_state<scalar>& pass, const masked_tokens& batch) {
    const matrix_view<scalar> x(tower_.forward(backend, pass, memory(), parameters_), batch.rows.rows(),
                                C::size.d_model);
    cpu::gather<scalar>(backend, batch.positions, x, 1, {picked(), batch.predicted, C::size.d_model});
    const index_t starts[] = {0, batch.predicted};
    return {head_.forward(backend, head_pass(pass, starts), head_memory(), {picked()}, parameters_)[0],
            batch.predicted, C::size.d_model};
  }

  index_t vocabulary_;
  parameter_store<scalar> parameters_;
  tower_type tower_;
  layer_stack<head_program, scalar, Backend> head_;
  parameter_places output_;
  activation_arena<scalar> arena_;
  position_table<C> positions_;
  std::vector<token_t> first_segment_;
};

}  // namespace formwork
