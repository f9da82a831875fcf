#pragma once
#include <formwork/core/fixed_string.hpp>

namespace formwork {

/// What a parameter does. Initialisers and optimizers decide by role, never by the text of a name.
enum class role : std::uint8_t {
  query, key, value, output,                      // projections of self-attention
  cross_query, cross_key, cross_value, cross_output,
  up, down,                                       // the two matrices of a feed-forward block
  embedding, position, head,                      // token table, learned positions, output projection
  bias, norm_gain, norm_bias, scalar              // vectors and numbers: no weight decay
};

/// True for matrices that multiply activations; weight decay applies to these and to nothing else.
constexpr bool is_matrix(role r) { return r <= role::down || r == role::head; }

/// Where the elements of a vector or a number start unless its op says otherwise.
constexpr double constant_start(role r) { return r == role::norm_gain ? 1 : 0; }

/// The stack a parameter belongs to.
enum class stack_kind : std::uint8_t { none, encoder, decoder };

/// Where a layer stands: what constants that depend on the depth are computed from.
struct layer_place {
  stack_kind stack = stack_kind::none;
  int layer = 0;           ///< index in its stack, from 0
  int encoder_layers = 0;  ///< 0: the model has no encoder
  int decoder_layers = 0;  ///< 0: the model has no decoder

  /// Layers of this stack.
  constexpr int layers() const { return stack == stack_kind::decoder ? decoder_layers : encoder_layers; }
  /// Sub-layers of one layer: attention and feed-forward, and in the decoder of an encoder-decoder
  /// cross-attention.
  constexpr int layer_parts() const { return stack == stack_kind::decoder && encoder_layers > 0 ? 3 : 2; }
  /// Sub-layers, that is residual branches, of this stack.
  constexpr int sublayers() const { return layers() * layer_parts(); }
  /// True for the stacks of an encoder-decoder.
  constexpr bool is_paired() const { return encoder_layers > 0 && decoder_layers > 0; }
};

/// Everything that an initialiser may depend on.
/// A matrix is [rows, columns] = [fan out, fan in]: y = x W^T + b.
struct parameter_info {
  label name{};                     ///< within its layer: "ffn.up.weight"
  formwork::role role{};
  index_t rows = 0;                 ///< outputs
  index_t columns = 0;              ///< inputs; 1 for vectors
  double start = constant_start(role);  ///< of a vector or a number: the first value its op asks for
  stack_kind stack = stack_kind::none;
  int layer = 0;                    ///< index in its stack, from 0
  int encoder_layers = 0;
  int decoder_layers = 0;

  constexpr index_t size() const { return rows * columns; }
  constexpr layer_place place() const { return {stack, layer, encoder_layers, decoder_layers}; }
};

}  // namespace formwork
