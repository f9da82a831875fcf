#pragma once
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/model/layer_stack.hpp>
#include <formwork/model/layers.hpp>
#include <formwork/model/loss.hpp>
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
  template <class Layer>
  using program_of = program<Layer, typename C::dialect, scalar, Backend>;
  using encoder_program = program_of<encoder_layer<C>>;
  using decoder_program = program_of<decoder_layer<C>>;
  using source_embedding = program_of<embedding_layer<C, axis::source>>;
  using target_embedding = program_of<embedding_layer<C, axis::target>>;
  using encoder_end = program_of<final_layer<C, axis::source>>;
  using decoder_end = program_of<final_layer<C, axis::target>>;

  /// A model with initial parameters.
  /// Requires: vocabularies of at least one entry, equal ones if all tables are tied (checked)
  template <class Initialiser>
  encoder_decoder(vocabulary_sizes vocabulary, const Initialiser& initialiser, std::uint64_t seed = 1)
      : vocabulary_(vocabulary) {
    if (vocabulary.source < 1 || vocabulary.target < 1)
      fail("encoder_decoder: vocabularies of ", vocabulary.source, " and ", vocabulary.target,
           " entries, expected at least 1 each");
    validate(initialiser);
    parameter_info info{.encoder_layers = C::size.encoder_layers, .decoder_layers = C::size.decoder_layers};
    const auto declare = [&](auto& stack, const char* prefix, bool numbered, int depth, stack_kind kind) {
      info.stack = kind;
      stack.declare(parameters_, prefix, numbered, depth, info, vocabulary.source, vocabulary.target);
    };
    declare(source_embedding_, "source", false, 1, stack_kind::none);
    declare(target_embedding_, "target", false, 1, stack_kind::none);
    declare(encoder_, "encoder", true, C::size.encoder_layers, stack_kind::encoder);
    declare(encoder_end_, "encoder", false, 1, stack_kind::encoder);
    declare(decoder_, "decoder", true, C::size.decoder_layers, stack_kind::decoder);
    declare(decoder_end_, "decoder", false, 1, stack_kind::decoder);
    info.stack = stack_kind::none;
    output_ = parameters_.declare(output_layer<C>::graph, "", info, vocabulary.source, vocabulary.target);
    parameters_.initialise(initialiser, seed);
  }

  /// Number of trainable numbers; tied tables count once. Known at compile time but for the vocabularies.
  static constexpr index_t parameter_count(vocabulary_sizes v) {
    using formwork::parameter_count;
    const auto own = [v](const graph& g) { return parameter_count(g, false, v.source, v.target); };
    const auto shared = [v](const graph& g) { return parameter_count(g, true, v.source, v.target); };
    index_t n = C::size.encoder_layers * own(encoder_program::graph) + own(encoder_end::graph) +
                C::size.decoder_layers * own(decoder_program::graph) + own(decoder_end::graph) +
                own(source_embedding::graph) + own(target_embedding::graph);
    n += shared(source_embedding::graph);
    if (C::ties != tying::all) n += shared(target_embedding::graph);
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
    if (source_tokens <= source_capacity_ && target_tokens <= target_capacity_) return;
    source_capacity_ = std::max(source_capacity_, (source_tokens + 15) / 16 * 16);
    target_capacity_ = std::max(target_capacity_, (target_tokens + 15) / 16 * 16);
    arena_.resize(total_extent().at(source_capacity_, target_capacity_));
  }
  /// Elements of the activation arena for these token counts: the memory plan's size.
  static constexpr extent total_extent() { return stacks_extent() + gradient_extent() + scratch_extent(); }

  /// Forward and backward pass: adds the gradient of the SUM of the loss over all target tokens to
  /// `parameters().gradients()` and returns that sum.
  loss_sums train(Backend& backend, const sequence_pairs& batch, const smoothed_cross_entropy& loss,
                  const pass_options& options) {
    const pass_state<scalar> pass = start(batch, options);
    forward(backend, pass);
    const matrix_view<scalar> dx(gradient_block(decoder_gradients), batch.target_rows.rows(),
                                 C::size.d_model);
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

  /// The encoder's result for the sources of a batch, [N, D]; valid until the next pass.
  matrix_view<scalar> encode(Backend& backend, const token_t* source, const sequences& rows) {
    const sequence_pairs batch{.source = source, .source_rows = rows};
    forward_encoder(backend, start(batch, {}));
    return {memory_, rows.rows(), C::size.d_model};
  }

  /// The output projection: weight [V, D] and bias.
  projection_head<scalar> output_head() {
    const auto at = [&](std::size_t i, scalar* base) { return base ? base + output_.offset[i] : nullptr; };
    return {.weight = {at(0, parameters_.values()), vocabulary_.target, C::size.d_model},
            .bias = C::output_bias ? at(1, parameters_.values()) : nullptr,
            .d_weight = {at(0, parameters_.gradients()), vocabulary_.target, C::size.d_model},
            .d_bias = C::output_bias ? at(1, parameters_.gradients()) : nullptr};
  }

  // What decoding needs to run the layers itself (decode/).
  const auto& decoder_stack() const { return decoder_; }
  const auto& decoder_end_stack() const { return decoder_end_; }
  const auto& target_embedding_stack() const { return target_embedding_; }
  matrix_view<const scalar> position_code() const { return {positions_.data(), longest_, C::size.d_model}; }
  void reserve_positions(index_t longest) {
    if constexpr (fixed_position_code<typename C::position>) {
      if (longest <= longest_) return;
      longest_ = std::max<index_t>({longest, 2 * longest_, 64});
      positions_.resize(longest_ * C::size.d_model);
      for (index_t p = 0; p < longest_; ++p)
        for (index_t c = 0; c < C::size.d_model; ++c)
          positions_[p * C::size.d_model + c] = scalar(C::position::code(p, c, C::size.d_model));
    }
  }

 private:
  template <class Program>
  using stack_of = layer_stack<Program, scalar, Backend>;
  using streams = std::array<scalar*, graph::max_streams>;
  static constexpr index_t stream_count = streams_of<typename C::placement>;
  static constexpr extent source_block{.source = C::size.d_model}, target_block{.target = C::size.d_model};

  // The arena: kept values of the six stacks, gradients of the streams, scratch.
  static constexpr extent stacks_extent() {
    return source_embedding::values.kept + C::size.encoder_layers * encoder_program::values.kept +
           encoder_end::values.kept + target_embedding::values.kept +
           C::size.decoder_layers * decoder_program::values.kept + decoder_end::values.kept;
  }
  static constexpr extent gradient_extent() {
    return stream_count * source_block + stream_count * target_block;
  }
  static constexpr extent scratch_extent() {
    return upper(upper(upper(source_embedding::scratch, target_embedding::scratch),
                       upper(encoder_program::scratch, decoder_program::scratch)),
                 upper(encoder_end::scratch, decoder_end::scratch));
  }
  enum gradient_place : int { encoder_gradients, decoder_gradients };

  scalar* at(extent offset) { return arena_.data() + offset.at(source_capacity_, target_capacity_); }
  scalar* gradient_block(gradient_place place) {
    return at(stacks_extent() + (place == decoder_gradients ? stream_count * source_block : extent{}));
  }

  /// Memory of a stack whose kept values begin at `kept`.
  layer_memory<scalar> memory_at(extent kept) {
    return {.source_rows = source_capacity_,
            .target_rows = target_capacity_,
            .memory = memory_,
            .d_memory = gradient_block(encoder_gradients),
            .kept = at(kept),
            .scratch = at(stacks_extent() + gradient_extent())};
  }
  layer_memory<scalar> gradients_at(gradient_place place) {
    layer_memory<scalar> m = memory_at({});
    const extent block = place == encoder_gradients ? source_block : target_block;
    for (index_t s = 0; s < stream_count; ++s)
      m.stream[s] = gradient_block(place) + s * block.at(source_capacity_, target_capacity_);
    return m;
  }
  /// Runs f(stack, memory, first dropout site) for the stacks of one side, in order.
  template <class F>
  void each_encoder_stack(F f) {
    extent kept{};
    std::uint32_t site = 0;
    const auto next = [&](auto& stack) {
      f(stack, memory_at(kept), site);
      kept = kept + stack.kept();
      site += stack.sites();
    };
    next(source_embedding_), next(encoder_), next(encoder_end_);
  }
  template <class F>
  void each_decoder_stack(F f) {
    extent kept = source_embedding_.kept() + encoder_.kept() + encoder_end_.kept();
    std::uint32_t site = source_embedding_.sites() + encoder_.sites() + encoder_end_.sites();
    const auto next = [&](auto& stack) {
      f(stack, memory_at(kept), site);
      kept = kept + stack.kept();
      site += stack.sites();
    };
    next(target_embedding_), next(decoder_), next(decoder_end_);
  }

  pass_state<scalar> start(const sequence_pairs& batch, const pass_options& options) {
    index_t longest = 0;
    for (const sequences* rows : {&batch.source_rows, &batch.target_rows})
      for (index_t b = 0; b < rows->count; ++b) longest = std::max(longest, rows->length(b));
    reserve(batch.source_rows.rows(), batch.target_rows.rows(), longest);
    return {.rows = {batch.source_rows, batch.target_rows},
            .ids = {batch.source, batch.target_in},
            .dropout = options.dropout,
            .seed = options.seed,
            .step = options.step,
            .positions = position_code()};
  }

  /// What flows into a stack behind the embedding: every stream starts as the embedding.
  static streams spread(streams from) {
    for (index_t s = 1; s < stream_count; ++s)
      if (!from[std::size_t(s)]) from[std::size_t(s)] = from[0];
    return from;
  }

  void forward_encoder(Backend& backend, pass_state<scalar> pass) {
    streams x{};
    each_encoder_stack([&](auto& stack, const layer_memory<scalar>& memory, std::uint32_t site) {
      pass.first_site = site;
      x = stack.forward(backend, pass, memory, spread(x), parameters_);
    });
    memory_ = x[0];
  }
  void forward(Backend& backend, pass_state<scalar> pass) {
    forward_encoder(backend, pass);
    streams x{};
    each_decoder_stack([&](auto& stack, const layer_memory<scalar>& memory, std::uint32_t site) {
      pass.first_site = site;
      x = stack.forward(backend, pass, memory, spread(x), parameters_);
    });
    decoder_result_ = {x[0], pass.of(axis::target).rows(), C::size.d_model};
  }
  matrix_view<scalar> decoder_result() const { return decoder_result_; }

  void backward(Backend& backend, pass_state<scalar> pass) {
    std::fill_n(gradient_block(encoder_gradients), pass.of(axis::source).rows() * C::size.d_model, scalar(0));
    backward_stacks(backend, pass, decoder_gradients, axis::target, target_embedding_, decoder_, decoder_end_,
                    [&](auto f) { each_decoder_stack(f); });
    backward_stacks(backend, pass, encoder_gradients, axis::source, source_embedding_, encoder_, encoder_end_,
                    [&](auto f) { each_encoder_stack(f); });
  }

  /// Backward pass of one side: the stacks in reverse order, with the inputs that the forward pass gave them.
  template <class Embedding, class Layers, class End, class Each>
  void backward_stacks(Backend& backend, pass_state<scalar> pass, gradient_place place, axis rows,
                       const Embedding& embedding, const Layers& layers, const End& end, Each each) {
    struct visit {
      layer_memory<scalar> memory;
      std::uint32_t site = 0;
    } visits[3];
    int n = 0;
    each([&](auto&, const layer_memory<scalar>& memory, std::uint32_t site) {
      visits[n++] = {memory, site};
    });
    const streams first = spread(embedding.layer_inputs(1, visits[0].memory, {}));
    const streams last = layers.layer_inputs(layers.depth(), visits[1].memory, first);
    const layer_memory<scalar> gradients = gradients_at(place);
    pass.first_site = visits[2].site;
    end.backward(backend, pass, visits[2].memory, last, gradients, parameters_);
    pass.first_site = visits[1].site;
    layers.backward(backend, pass, visits[1].memory, first, gradients, parameters_);
    // All streams started as the embedding: their gradients add up.
    for (index_t s = 1; s < stream_count; ++s) {
      const matrix_view<scalar> sum(gradients.stream[0], pass.of(rows).rows(), C::size.d_model),
          more(gradients.stream[s], sum.rows, sum.width);
      cpu::map(
          backend, sum, [](auto a, auto b) { return a + b; }, sum, more);
    }
    pass.first_site = visits[0].site;
    embedding.backward(backend, pass, visits[0].memory, {}, gradients, parameters_);
  }

  vocabulary_sizes vocabulary_;
  parameter_store<scalar> parameters_;
  stack_of<source_embedding> source_embedding_;
  stack_of<target_embedding> target_embedding_;
  stack_of<encoder_program> encoder_;
  stack_of<encoder_end> encoder_end_;
  stack_of<decoder_program> decoder_;
  stack_of<decoder_end> decoder_end_;
  parameter_places output_;

  storage<scalar> arena_, positions_;
  index_t source_capacity_ = 0, target_capacity_ = 0, longest_ = 0;
  scalar* memory_ = nullptr;
  matrix_view<scalar> decoder_result_{};
};

}  // namespace formwork
