#pragma once
#include <formwork/graph/program.hpp>
#include <formwork/model/parameters.hpp>

#include <type_traits>

namespace formwork {

/// Layers behind each other: one compiled program, a loop over the depth. Holds where each layer's parameters
/// and kept values lie. With `Upper`, another program of the same streams, the layers from `split` on are of
/// that kind (a placement with two sections).
template <class Program, class T, class Backend, class Upper = Program>
class layer_stack {
 public:
  static constexpr int inputs = Program::graph.input_count, outputs = Program::graph.output_count;
  static_assert(Upper::graph.input_count == inputs && Upper::graph.output_count == outputs,
                "layer_stack: both sections of a stack must have the same streams");
  using streams = std::array<T*, graph::max_streams>;

  /// Adds the parameters of `depth` layers, the first `split` of them of the lower kind, named
  /// `prefix`[.index].name. `info` says which stack of which model this is,
  /// and the number of its first layer.
  void declare(parameter_store<T>& store, const std::string& prefix, bool numbered, int depth,
               parameter_info info, index_t source_vocabulary, index_t target_vocabulary, int split) {
    place_ = info.place();
    split_ = split;
    for (int l = 0; l < depth; ++l) {
      info.layer = place_.layer + l;
      places_.push_back(at(l, [&](auto program) {
        return store.declare(decltype(program)::graph,
                             numbered ? text(prefix, ".", l, ".") : text(prefix, "."), info,
                             source_vocabulary, target_vocabulary);
      }));
    }
  }
  void declare(parameter_store<T>& store, const std::string& prefix, bool numbered, int depth,
               const parameter_info& info, index_t source_vocabulary, index_t target_vocabulary) {
    declare(store, prefix, numbered, depth, info, source_vocabulary, target_vocabulary, depth);
  }

  int depth() const { return int(places_.size()); }
  extent kept() const { return kept_before(depth()); }
  const parameter_places& places(int layer) const { return places_[std::size_t(layer)]; }

  /// f(program) with the compiled program of layer l.
  template <class F>
  decltype(auto) at(int l, F f) const {
    if constexpr (!std::is_same_v<Program, Upper>)
      if (l >= split_) return f(Upper{});
    return f(Program{});
  }

  /// Runs all layers; `memory` holds the regions, its `kept` is the stack's block.
  /// Returns the last layer's outputs.
  streams forward(Backend& backend, pass_state<T> pass, const layer_memory<T>& memory, streams in,
                  parameter_store<T>& store) const {
    for (int l = 0; l < depth(); ++l) {
      const layer_memory<T> own = of_layer(l, memory, in);
      at(l, [&](auto program) { program.forward(backend, at_layer(pass, l), own, parameters(l, store)); });
      in = outputs_of(l, own);
    }
    return in;
  }

  /// Runs the backward pass of all layers, last first. `gradients.stream` holds the gradients of the last
  /// layer's outputs and receives those of the first layer's inputs; `in` are the first layer's inputs.
  void backward(Backend& backend, pass_state<T> pass, const layer_memory<T>& memory, streams in,
                const layer_memory<T>& gradients, parameter_store<T>& store) const {
    for (int l = depth() - 1; l >= 0; --l)
      at(l, [&](auto program) {
        program.backward(backend, at_layer(pass, l), of_layer(l, memory, layer_inputs(l, memory, in)),
                         gradients, parameters(l, store));
      });
  }

  /// The inputs of layer l after `forward`.
  streams layer_inputs(int l, const layer_memory<T>& memory, streams in) const {
    return l == 0 ? in : outputs_of(l - 1, of_layer(l - 1, memory, in));
  }

  pass_state<T> at_layer(pass_state<T> pass, int l) const {
    pass.place = place_;
    pass.place.layer += l;
    pass.first_site += std::uint32_t(l * graph::max_nodes);
    return pass;
  }
  /// Dropout sites that the stack uses.
  std::uint32_t sites() const { return std::uint32_t(depth() * graph::max_nodes); }

  layer_parameters<T> parameters(int l, parameter_store<T>& store) const {
    return {store.values(), store.gradients(), places(l).offset.data(), places(l).rows.data()};
  }

 private:
  /// What the layers before l keep.
  extent kept_before(int l) const {
    return std::min(l, split_) * Program::values.kept + std::max(0, l - split_) * Upper::values.kept;
  }
  layer_memory<T> of_layer(int l, layer_memory<T> memory, const streams& in) const {
    memory.kept += kept_before(l).at(memory.source_rows, memory.target_rows);
    for (int s = 0; s < inputs; ++s) memory.stream[s] = in[std::size_t(s)];
    return memory;
  }
  streams outputs_of(int l, const layer_memory<T>& own) const {
    return at(l, [&](auto program) {
      streams out{};
      for (int s = 0; s < outputs; ++s) out[std::size_t(s)] = program.output(s, own);
      return out;
    });
  }

  std::vector<parameter_places> places_;
  layer_place place_{};
  int split_ = 0;
};

}  // namespace formwork
