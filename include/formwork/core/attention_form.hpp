#pragma once
#include <formwork/core/types.hpp>

namespace formwork {

/// What an attention may have beyond softmax(scale q k^T) v; everything off by default.
struct attention_form {
  int key_heads = 0;  ///< heads of keys and values, each read by as many heads of queries; 0: one each
  bool distance_bias = false;  ///< ALiBi: a logit falls with the distance of query and key
  index_t window = 0;          ///< a query sees keys at most so many positions away; 0: any
  double cap = 0;              ///< logits l become cap tanh(l / cap); 0: they stay

  /// Scores are only scaled, and nothing but a causal mask hides a key.
  constexpr bool plain() const { return !distance_bias && window == 0 && cap == 0; }
  constexpr bool operator==(const attention_form&) const = default;
};

}  // namespace formwork
