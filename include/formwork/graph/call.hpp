#pragma once
#include <formwork/graph/graph.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork {

/// Rates of the four places where the field puts dropout, each in [0, 1).
struct dropout_rates {
  double embedding = 0, attention = 0, activation = 0, residual = 0;

  constexpr double at(dropout_place place) const {
    switch (place) {
      case dropout_place::embedding: return embedding;
      case dropout_place::attention: return attention;
      case dropout_place::activation: return activation;
      case dropout_place::residual: return residual;
      case dropout_place::none: break;
    }
    return 0;
  }
  /// The same rate for embeddings and residual branches, none inside: the usual single number.
  static constexpr dropout_rates usual(double rate) { return {.embedding = rate, .residual = rate}; }
};

/// Keys and values of all positions so far of one causal attention node, while translations grow.
template <class T>
struct attention_cache {
  matrix_view<T> key, value;
};

/// What a decoding step knows beyond a training step.
template <class T>
struct decode_state {
  index_t position = 0;                     ///< of the token that is being processed, the same for all rows
  const index_t* const* rows = nullptr;     ///< rows[h][t]: the cache row of position t of hypothesis h
  const index_t* lengths = nullptr;         ///< lengths[h] = position + 1, for every hypothesis
  sequences hypotheses{};                   ///< every row a sequence of its own
  index_t first_cache_row = 0;              ///< where this step's keys and values go
  const attention_cache<T>* caches = nullptr;  ///< of this layer, by the attention's index in the table
};

/// What is the same for all ops of one pass over one layer.
template <class T>
struct pass_state {
  sequences rows[2];                        ///< of the source and the target axis
  const token_t* ids[2] = {nullptr, nullptr};
  const token_t* segments = nullptr;        ///< of the source tokens, where the model tells segments apart
  dropout_rates dropout{};                  ///< all 0 outside of training
  std::uint64_t seed = 0;                   ///< of the dropout masks
  std::uint32_t step = 0;                   ///< number of the batch, so that each draws its own masks
  std::uint32_t first_site = 0;             ///< number of the layer's first dropout site in the model
  layer_place place{};                      ///< of the layer in the model
  matrix_view<const T> positions{};         ///< the model's constant position code [longest sequence, D]
  const decode_state<T>* decode = nullptr;  ///< null in training and scoring

  constexpr const sequences& of(axis a) const { return rows[int(a)]; }
};

/// An element function's two kernels over n contiguous numbers.
template <class T>
struct element_kernels {
  void (*apply)(T* y, const T* x, index_t n) = nullptr;                         ///< y = f(x)
  void (*scale_by_slope)(T* dx, const T* dy, const T* x, index_t n) = nullptr;  ///< dx = dy f'(x)
};

/// All an op's kernel is given: operands, results, parameters and their gradients, and its pass.
template <class T, class Backend>
struct call {
  using scalar = T;

  Backend& backend;
  const node& n;
  const pass_state<T>& pass;
  int index = 0;                    ///< of the node in its table
  axis key_axis = axis::source;     ///< token axis of operand 1
  matrix_view<T> in[operands::capacity]{};  ///< values of the operands
  matrix_view<T> out{};             ///< value of the result
  matrix_view<T> saved{};           ///< what the forward kernel keeps for the backward kernel
  matrix_view<T> d_out{};           ///< backward: gradient of the result
  matrix_view<T> d_in[operands::capacity]{};  ///< backward: gradients of the operands, data null: none wanted
  bool adds[operands::capacity]{};  ///< backward: add to d_in instead of overwriting it
  T* parameter[4]{};                ///< values of the node's parameters
  T* d_parameter[4]{};              ///< gradients of the parameters; always added to
  index_t parameter_rows = 0;       ///< rows of parameter 0 (of a token table: the vocabulary)
  element_kernels<T> activation{};  ///< of the element function in a linear op's epilogue

  double dropout_rate() const { return pass.dropout.at(n.dropout); }
  std::uint32_t dropout_site() const { return pass.first_site + std::uint32_t(index); }
  /// While decoding, a target row is the newest token of a hypothesis,
  /// and hypotheses of one sentence stand together.
  bool decoding() const { return pass.decode && n.rows == axis::target; }
  /// Sequences to count positions in, and the position of the first row of each.
  const sequences& position_rows() const { return decoding() ? pass.decode->hypotheses : pass.of(n.rows); }
  index_t first_position() const { return decoding() ? pass.decode->position : 0; }
  double alpha() const { return n.alpha_of_layer ? n.alpha_of_layer(pass.place) : n.alpha; }
};

}  // namespace formwork
