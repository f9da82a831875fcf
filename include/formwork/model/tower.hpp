#pragma once
#include <formwork/graph/cost.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/model/layer_stack.hpp>
#include <formwork/model/layers.hpp>

namespace formwork {

/// One side of a model: embedded tokens of axis A, a stack of layers, and what stands behind it. `Layer<C>`
/// is a layer of the stack. Knows its programs and their memory; owns nothing but the places of its
/// parameters.
template <class C, class Backend, axis A, template <class> class Layer>
class tower {
 public:
  using scalar = typename C::precision::scalar;
  template <class L>
  using program_of = program<L, typename C::dialect, scalar, Backend>;
  using embedding = program_of<embedding_layer<C, A>>;
  using lower_layer = program_of<Layer<detail::lower_section<C>>>;
  using upper_layer = program_of<Layer<detail::upper_section<C>>>;
  using end = program_of<final_layer<C, A>>;
  using streams = std::array<scalar*, graph::max_streams>;

  static constexpr stack_kind kind = A == axis::source ? stack_kind::encoder : stack_kind::decoder;
  static constexpr int depth = A == axis::source ? C::size.encoder_layers : C::size.decoder_layers;
  static constexpr int split = detail::lower_layers<typename C::placement>(depth);
  static constexpr index_t stream_count = streams_of<typename C::placement>;

  /// Room for what the forward pass keeps, for the gradients of the streams, and for scratch.
  static constexpr extent kept = embedding::values.kept + split * lower_layer::values.kept +
                                 (depth - split) * upper_layer::values.kept + end::values.kept;
  static constexpr extent block = extent_of(A, C::size.d_model);
  static constexpr extent gradient_room = stream_count * block;
  static constexpr extent scratch =
      upper(upper(embedding::scratch, end::scratch), upper(lower_layer::scratch, upper_layer::scratch));
  static constexpr std::uint32_t sites = std::uint32_t((depth + 2) * graph::max_nodes);

  /// Adds the embedding's parameters, named `input`.name.
  void declare_embedding(parameter_store<scalar>& store, const char* input, parameter_info info,
                         index_t source_vocabulary, index_t target_vocabulary) {
    info.stack = stack_kind::none;
    embedding_.declare(store, input, false, 1, info, source_vocabulary, target_vocabulary);
  }
  /// Adds the parameters of the layers and of what stands behind them, named `name`.layer.name.
  void declare_layers(parameter_store<scalar>& store, const char* name, parameter_info info) {
    info.stack = kind;
    layers_.declare(store, name, true, depth, info, 0, 0, split);
    info.layer = std::max(depth - 1, 0);  // it belongs to the top of the stack
    end_.declare(store, name, false, 1, info, 0, 0);
  }
  /// Number of trainable numbers that are not tied to others.
  static constexpr index_t parameter_count(index_t source_vocabulary, index_t target_vocabulary) {
    const auto own = [=](const graph& g) {
      return formwork::parameter_count(g, false, source_vocabulary, target_vocabulary);
    };
    return own(embedding::graph) + split * own(lower_layer::graph) +
           (depth - split) * own(upper_layer::graph) + own(end::graph);
  }

  /// Operations of the layers of the stack in one forward pass.
  static constexpr layer_cost layers_cost() {
    return split * cost_of(lower_layer::graph) + (depth - split) * cost_of(upper_layer::graph);
  }

  const auto& layers() const { return layers_; }
  const auto& embedding_stack() const { return embedding_; }
  const auto& end_stack() const { return end_; }

  /// Runs everything; `memory.kept` is this tower's block. Returns the result [tokens, D].
  scalar* forward(Backend& backend, const pass_state<scalar>& pass, const layer_memory<scalar>& memory,
                  parameter_store<scalar>& store) const {
    streams x{};
    each([&](const auto& stack, extent kept_before, std::uint32_t sites_before) {
      x = stack.forward(backend, shifted(pass, sites_before), shifted(memory, kept_before), spread(x), store);
    });
    return x[0];
  }

  /// After `forward`: calls see(stack, layer, stream, values [tokens, D]) for every stream that leaves a layer.
  template <class F>
  void each_output(const pass_state<scalar>& pass, const layer_memory<scalar>& memory, F see) const {
    const layer_memory<scalar> in_layers = shifted(memory, embedding_.kept());
    const streams first = spread(embedding_.layer_inputs(1, memory, {}));
    for (int l = 0; l < depth; ++l) {
      const streams out = layers_.layer_inputs(l + 1, in_layers, first);
      for (int s = 0; s < int(stream_count); ++s)
        see(kind, l, s, matrix_view<scalar>(out[std::size_t(s)], pass.of(A).rows(), C::size.d_model));
    }
  }

  /// Backward pass: the stacks in reverse order, with the inputs that the forward pass gave them.
  /// `gradients.stream[0]` is the result's gradient, followed by room for those of the other streams.
  void backward(Backend& backend, const pass_state<scalar>& pass, const layer_memory<scalar>& memory,
                layer_memory<scalar> gradients, parameter_store<scalar>& store) const {
    for (index_t s = 1; s < stream_count; ++s)
      gradients.stream[s] = gradients.stream[0] + s * block.at(memory.source_rows, memory.target_rows);
    const extent before_layers = embedding_.kept(), before_end = before_layers + layers_.kept();
    const layer_memory<scalar> in_layers = shifted(memory, before_layers);
    const streams first = spread(embedding_.layer_inputs(1, memory, {}));
    const streams last = layers_.layer_inputs(depth, in_layers, first);
    end_.backward(backend, shifted(pass, embedding_.sites() + layers_.sites()), shifted(memory, before_end),
                  last, gradients, store);
    layers_.backward(backend, shifted(pass, embedding_.sites()), in_layers, first, gradients, store);
    // All streams started as the embedding: their gradients add up.
    for (index_t s = 1; s < stream_count; ++s) {
      const matrix_view<scalar> sum(gradients.stream[0], pass.of(A).rows(), C::size.d_model),
          more(gradients.stream[s], sum.rows, sum.width);
      cpu::map(
          backend, sum, [](auto a, auto b) { return a + b; }, sum, more);
    }
    embedding_.backward(backend, pass, memory, {}, gradients, store);
  }

 private:
  template <class F>
  void each(F f) const {
    f(embedding_, extent{}, std::uint32_t{0});
    f(layers_, embedding_.kept(), embedding_.sites());
    f(end_, embedding_.kept() + layers_.kept(), embedding_.sites() + layers_.sites());
  }
  static pass_state<scalar> shifted(pass_state<scalar> pass, std::uint32_t sites_before) {
    pass.first_site += sites_before;
    return pass;
  }
  static layer_memory<scalar> shifted(layer_memory<scalar> memory, extent before) {
    memory.kept += before.at(memory.source_rows, memory.target_rows);
    return memory;
  }
  /// What flows into a stack behind the embedding: every stream starts as the embedding.
  static streams spread(streams from) {
    for (index_t s = 1; s < stream_count; ++s)
      if (!from[std::size_t(s)]) from[std::size_t(s)] = from[0];
    return from;
  }

  layer_stack<embedding, scalar, Backend> embedding_;
  layer_stack<lower_layer, scalar, Backend, upper_layer> layers_;
  layer_stack<end, scalar, Backend> end_;
};

}  // namespace formwork
