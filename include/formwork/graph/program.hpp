#pragma once
#include <formwork/graph/fuse.hpp>
#include <formwork/graph/op_list.hpp>
#include <formwork/graph/reverse.hpp>

#include <algorithm>
#include <array>

namespace formwork {

/// Where the regions of one layer begin, for one batch.
template <class T>
struct layer_memory {
  index_t source_rows = 0, target_rows = 0;  ///< the capacities that offsets are computed with
  T* stream[graph::max_streams]{};           ///< forward: the inputs; backward: gradients of the outputs
  T* memory = nullptr;                       ///< the encoder's result
  T* d_memory = nullptr;
  T* kept = nullptr;
  T* scratch = nullptr;
};

/// Where the parameters of one layer lie: element offsets into the model's flat arrays.
template <class T>
struct layer_parameters {
  T* values = nullptr;
  T* gradients = nullptr;
  const index_t* offset = nullptr;  ///< [graph::max_parameters]
  const index_t* rows = nullptr;    ///< [graph::max_parameters], with the vocabulary's size filled in
};

/// The compiled form of a layer: tables made at compile time, run by two loops. `Layer::graph` is the
/// equation's table; `Dialect` has the op_list `ops` and the fusion table `fusions`. The tables hold kernels
/// by address, so a layer costs the compiler no code of its own, however many nodes it has.
template <class Layer, class Dialect, class T, class Backend>
class program {
 public:
  static constexpr formwork::graph graph = fuse(Layer::graph, Dialect::fusions);
  static constexpr value_layout values = plan_values(graph);
  static constexpr gradient_program gradients = differentiate(graph);
  static constexpr extent scratch = upper(values.scratch, gradients.scratch);
  static constexpr fixed_nodes fixed = find_fixed(graph);
  static constexpr value_layout step_values = plan_step(graph);

  static void forward(Backend& backend, const pass_state<T>& pass, const layer_memory<T>& memory,
                      const layer_parameters<T>& parameters) {
    for (int i = 0; i < graph.count; ++i)
      if (kernels_[i].forward) kernels_[i].forward(value_call(values, i, backend, pass, memory, parameters));
  }

  /// Decoding: the nodes that depend on the encoder's result only (`which` true), once for a batch of
  /// sources, or all others, once for each step. Memory is laid out by `step_values`.
  static void advance(bool which, Backend& backend, const pass_state<T>& pass, const layer_memory<T>& memory,
                      const layer_parameters<T>& parameters) {
    for (int i = 0; i < graph.count; ++i)
      if (kernels_[i].forward && fixed.is_fixed[i] == which)
        kernels_[i].forward(value_call(step_values, i, backend, pass, memory, parameters));
  }
  /// The value of output stream s after `advance`.
  static T* step_output(int s, const layer_memory<T>& memory) {
    return address(step_values.value[graph.outputs[s]], memory, memory.memory);
  }

  static void backward(Backend& backend, const pass_state<T>& pass, const layer_memory<T>& memory,
                       const layer_memory<T>& gradient_memory, const layer_parameters<T>& parameters) {
    for (int t = 0; t < gradients.count; ++t) {
      const gradient_step& step = gradients.steps[t];
      call<T, Backend> c = value_call(values, step.node, backend, pass, memory, parameters);
      if (step.d_out.where != region::none) c.d_out = gradient(step.node, step.d_out, pass, gradient_memory);
      for (int k = 0; k < operands::capacity; ++k) {
        if (step.d_in[k].where == region::none) continue;
        const int m = step.what == gradient_step::op ? graph[step.node].in[k] : step.node;
        c.d_in[k] = gradient(m, step.d_in[k], pass, gradient_memory);
        c.adds[k] = step.adds[k];
      }
      if (step.what == gradient_step::op) kernels_[step.node].backward(c);
      else move(step.what, c);
    }
  }

  /// The value of output stream s after `forward`.
  static T* output(int s, const layer_memory<T>& memory) {
    return address(values.value[graph.outputs[s]], memory, memory.memory);
  }
  /// The value of any node after `forward`; valid for kept values, for others until the next layer runs.
  static matrix_view<T> value(int i, const pass_state<T>& pass, const layer_memory<T>& memory) {
    return value(values, i, pass, memory);
  }

 private:
  static T* address(const location& at, const layer_memory<T>& memory, T* encoder_memory) {
    const index_t offset = at.offset.at(memory.source_rows, memory.target_rows) + at.column;
    switch (at.where) {
      case region::stream: return memory.stream[at.stream] + offset;
      case region::memory: return encoder_memory + offset;
      case region::kept: return memory.kept + offset;
      case region::scratch: return memory.scratch + offset;
      case region::none: break;
    }
    return nullptr;
  }

  static matrix_view<T> gradient(int i, const location& at, const pass_state<T>& pass,
                                 const layer_memory<T>& memory) {
    return {address(at, memory, memory.d_memory), pass.of(graph[i].rows).rows(), graph[i].width, at.stride};
  }

  static matrix_view<T> value(const value_layout& layout, int i, const pass_state<T>& pass,
                              const layer_memory<T>& memory) {
    return {address(layout.value[i], memory, memory.memory), pass.of(graph[i].rows).rows(), graph[i].width,
            layout.value[i].stride};
  }

  static call<T, Backend> value_call(const value_layout& layout, int i, Backend& backend,
                                     const pass_state<T>& pass, const layer_memory<T>& memory,
                                     const layer_parameters<T>& parameters) {
    const node& n = graph.nodes[i];
    call<T, Backend> c{.backend = backend, .n = n, .pass = pass, .index = i};
    for (int k = 0; k < operands::capacity; ++k)
      if (n.in[k] >= 0) c.in[k] = value(layout, n.in[k], pass, memory);
    c.out = value(layout, i, pass, memory);
    if (layout.saved[i].where != region::none)
      c.saved = {address(layout.saved[i], memory, nullptr), c.out.rows, layout.saved[i].stride};
    for (int k = 0; k < 4; ++k) {
      if (n.parameter[k] < 0) continue;
      c.parameter[k] = parameters.values + parameters.offset[n.parameter[k]];
      c.d_parameter[k] =
          parameters.gradients ? parameters.gradients + parameters.offset[n.parameter[k]] : nullptr;
    }
    if (n.parameter[0] >= 0) c.parameter_rows = parameters.rows[n.parameter[0]];
    if (n.in[1] >= 0) c.key_axis = graph[n.in[1]].rows;
    c.activation = elements_[i];
    return c;
  }

  static void move(gradient_step::kind what, const call<T, Backend>& c) {
    for (index_t r = 0; r < c.d_in[0].rows; ++r) {
      T* to = c.d_in[0].row(r);
      if (what == gradient_step::zero) std::fill_n(to, c.d_in[0].width, T(0));
      else if (what == gradient_step::copy) std::copy_n(c.d_out.row(r), c.d_in[0].width, to);
      else std::transform(to, to + c.d_in[0].width, c.d_out.row(r), to, [](T a, T b) { return a + b; });
    }
  }

  template <class Table, class F>
  static constexpr Table table_of(F entry) {
    Table table{};
    for (int i = 0; i < graph.count; ++i)
      if (!graph[i].is_input() && !graph[i].op->view) table[std::size_t(i)] = entry(i);
    return table;
  }

  static constexpr auto kernels_ = table_of<std::array<op_kernels<T, Backend>, formwork::graph::max_nodes>>(
      [](int i) { return Dialect::ops::template kernels<T, Backend>(graph[i].op); });
  static constexpr auto elements_ = table_of<std::array<element_kernels<T>, formwork::graph::max_nodes>>(
      [](int i) { return Dialect::ops::template element<T>(graph[i].activation); });
};

}  // namespace formwork
