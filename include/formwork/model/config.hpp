#pragma once
#include <formwork/core/finite.hpp>
#include <formwork/graph/op_list.hpp>
#include <formwork/ops/attention.hpp>
#include <formwork/ops/columns.hpp>
#include <formwork/ops/elementwise.hpp>
#include <formwork/ops/embedding.hpp>
#include <formwork/ops/fusions.hpp>
#include <formwork/ops/gate.hpp>
#include <formwork/ops/mix.hpp>
#include <formwork/ops/multiply.hpp>
#include <formwork/ops/stream_weights.hpp>
#include <formwork/policy/activation/activation.hpp>
#include <formwork/policy/norm/head_norm.hpp>
#include <formwork/policy/norm/norm.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>
#include <formwork/policy/position/position.hpp>
#include <formwork/policy/precision/precision.hpp>

namespace formwork {

/// The ops and fusion rules of the library. To add an op of one's own:
///   struct my_dialect : formwork::dialect { using ops = formwork::dialect::ops::extend<my_op>; };
struct dialect {
  using ops = op_list<linear_op, add_op, scale_op, multiply_op, scale_columns_op, shift_columns_op,
                      dropout_op, mix_op, tanh_weights_op, sinkhorn_weights_op, layer_norm_op, rms_norm_op,
                      unit_offset_rms_norm_op, length_norm_op, dynamic_norm_op<hyperbolic_tangent>,
                      dynamic_norm_op<error_function>, attention_op, embedding_op, segment_embedding_op,
                      fixed_position_op, learned_position_op, rotary_op, interleaved_rotary_op,
                      elementwise_op<relu>, elementwise_op<gelu>, elementwise_op<gelu_tanh>,
                      elementwise_op<silu>, elementwise_op<squared_relu>, elementwise_op<logistic_sigmoid>,
                      elementwise_op<hyperbolic_tangent>, gate_op<silu>, gate_op<gelu>, gate_op<gelu_tanh>,
                      gate_op<relu>, gate_op<logistic_sigmoid>>;
  static constexpr auto fusions = standard_fusions;
};

/// Which of the three token tables (source embedding, target embedding, output projection) are one table.
enum class tying : std::uint8_t {
  none,    ///< three tables
  output,  ///< target embedding = output projection
  all      ///< one table; needs one vocabulary for both languages
};

/// The sizes of a model.
struct dims {
  index_t d_model = 512;
  index_t d_ff = 2048;
  int heads = 8;
  int encoder_layers = 6;
  int decoder_layers = 6;
  int kv_heads = 0;  ///< heads of keys and values, shared by equal groups of heads; 0: as many as heads

  constexpr int key_heads() const { return kv_heads ? kv_heads : heads; }
  /// Columns of keys and of values.
  constexpr index_t key_width() const { return d_model / heads * key_heads(); }
};

/// The compile-time configuration of a model. Derive and redefine what differs:
///   struct tiny : formwork::config {
///     static constexpr formwork::dims size{.d_model = 128, .d_ff = 256, .heads = 4};
///     using placement = formwork::post_norm;
///   };
struct config {
  static constexpr dims size{};
  using placement = pre_norm;
  using norm = layer_norm;
  using head_norm = no_head_norm;
  using activation = relu;
  using position = sinusoidal;
  using precision = fp32;
  using dialect = formwork::dialect;
  static constexpr tying ties = tying::all;
  static constexpr bool output_bias = false;      ///< a bias behind the output projection
  static constexpr bool scaled_embedding = true;  ///< token embeddings times sqrt(d_model)
  static constexpr bool embedding_norm = false;   ///< a norm behind the embedding, as in BERT
  static constexpr index_t window = 0;            ///< self-attention sees so many positions back; 0: all
  static constexpr double logit_cap = 0;          ///< logits become cap tanh(logit / cap); 0: they stay
  static constexpr index_t segments = 0;  ///< kinds of segments that an encoder tells apart, 0 for none
};

/// Checks what must hold between the parts of a configuration; each rule is one sentence.
template <class C, bool HasEncoder = true, bool HasDecoder = true>
consteval bool check_config() {
  static_assert(C::size.d_model >= 1 && C::size.d_ff >= 1,
                "config::size: d_model and d_ff must be at least 1");
  static_assert(C::size.heads >= 1, "config::size: heads must be at least 1");
  static_assert(C::size.d_model % C::size.heads == 0, "config::size: d_model must be a multiple of heads");
  static_assert(C::size.kv_heads >= 0 && C::size.heads % C::size.key_heads() == 0,
                "config::size: heads must be a multiple of kv_heads");
  static_assert(C::window >= 0, "config::window: the positions that are seen must be 0 (all) or more");
  static_assert(C::logit_cap >= 0 && is_finite(C::logit_cap),
                "config::logit_cap: the cap must be 0 (none) or a finite number above");
  static_assert(C::segments >= 0, "config::segments: the kinds of segments must be 0 (none) or more");
  static_assert(C::segments == 0 || !HasDecoder,
                "config::segments: only a model that is an encoder alone tells segments apart");
  static_assert((!HasEncoder || C::size.encoder_layers >= 1) && (!HasDecoder || C::size.decoder_layers >= 1),
                "config::size: encoder_layers and decoder_layers must be at least 1");
  static_assert(precision<typename C::precision>, "config::precision: add 'using scalar = float;' or double");
  return explain_norm_placement<typename C::placement>() && explain_norm<typename C::norm>() &&
         explain_projection_norm<typename C::head_norm>() && explain_activation<typename C::activation>() &&
         explain_position<typename C::position>();
}

}  // namespace formwork
