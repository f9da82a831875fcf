#pragma once
#include <formwork/graph/program.hpp>
#include <formwork/model/parameters.hpp>

namespace formwork {

/// Equal layers behind each other: one compiled program, a loop over the depth. Holds where each layer's
/// parameters and kept values lie.
template <class Program, class T, class Backend>
class layer_stack {
 public:
  static constexpr int inputs = Program::graph.input_count, outputs = Program::graph.output_count;
  using streams = std::array<T*, graph::max_streams>;

  /// Adds the parameters of `depth` layers, named `prefix`[.index].name.
  void declare(parameter_store<T>& store, const std::string& prefix, bool numbered, int depth,
               parameter_info info, index_t source_vocabulary, index_t target_vocabulary) {
    for (int l = 0; l < depth; ++l) {
      info.layer = l;
      places_.push_back(store.declare(Program::graph,
                                      numbered ? text(prefix, ".", l, ".") : text(prefix, "."), info,
                                      source_vocabulary, target_vocabulary));
    }
  }

  int depth() const { return int(places_.size()); }
  extent kept() const { return depth() * Program::values.kept; }
  const parameter_places& places(int layer) const { return places_[std::size_t(layer)]; }

  /// Runs all layers; `memory` holds the regions, its `kept` is the stack's block.
  /// Returns the last layer's outputs.
  streams forward(Backend& backend, pass_state<T> pass, const layer_memory<T>& memory, streams in,
                  parameter_store<T>& store) const {
    for (int l = 0; l < depth(); ++l) {
      const layer_memory<T> own = of_layer(l, memory, in);
      Program::forward(backend, at_layer(pass, l), own, parameters(l, store));
      in = outputs_of(own);
    }
    return in;
  }

  /// Runs the backward pass of all layers, last first. `gradients.stream` holds the gradients of the last
  /// layer's outputs and receives those of the first layer's inputs; `in` are the first layer's inputs.
  void backward(Backend& backend, pass_state<T> pass, const layer_memory<T>& memory, streams in,
                const layer_memory<T>& gradients, parameter_store<T>& store) const {
    for (int l = depth() - 1; l >= 0; --l)
      Program::backward(backend, at_layer(pass, l), of_layer(l, memory, layer_inputs(l, memory, in)),
                        gradients, parameters(l, store));
  }

  /// The inputs of layer l after `forward`.
  streams layer_inputs(int l, const layer_memory<T>& memory, streams in) const {
    return l == 0 ? in : outputs_of(of_layer(l - 1, memory, in));
  }

  pass_state<T> at_layer(pass_state<T> pass, int l) const {
    pass.layer = l;
    pass.layers = depth();
    pass.first_site += std::uint32_t(l * graph::max_nodes);
    return pass;
  }
  /// Dropout sites that the stack uses.
  std::uint32_t sites() const { return std::uint32_t(depth() * graph::max_nodes); }

  layer_parameters<T> parameters(int l, parameter_store<T>& store) const {
    return {store.values(), store.gradients(), places(l).offset.data(), places(l).rows.data()};
  }

 private:
  layer_memory<T> of_layer(int l, layer_memory<T> memory, const streams& in) const {
    memory.kept += l * Program::values.kept.at(memory.source_rows, memory.target_rows);
    for (int s = 0; s < inputs; ++s) memory.stream[s] = in[std::size_t(s)];
    return memory;
  }
  static streams outputs_of(const layer_memory<T>& own) {
    streams out{};
    for (int s = 0; s < outputs; ++s) out[std::size_t(s)] = Program::output(s, own);
    return out;
  }

  std::vector<parameter_places> places_;
};

}  // namespace formwork
