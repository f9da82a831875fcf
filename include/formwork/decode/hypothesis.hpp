#pragma once
#include <formwork/core/types.hpp>

#include <vector>

namespace formwork {

/// A finished translation.
struct hypothesis {
  std::vector<token_t> tokens;   ///< without begin and end marks
  double log_probability = 0;    ///< sum over the tokens and the end mark
  double score = 0;              ///< log_probability after the length penalty: what the ranking goes by
  bool truncated = false;        ///< the maximum length came before the end mark
};

}  // namespace formwork
