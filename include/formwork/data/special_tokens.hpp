#pragma once
#include <formwork/core/types.hpp>

#include <string_view>

namespace formwork {

/// The ids that mean the same in every vocabulary. There is no padding symbol: batches have no padding.
inline constexpr token_t unknown_token = 0;  ///< stands for a piece of text that the vocabulary lacks
inline constexpr token_t begin_token = 1;    ///< what the decoder sees before the first target token
inline constexpr token_t end_token = 2;      ///< ends every source sentence and every target
inline constexpr token_t special_tokens = 3;

/// How the special tokens are written in vocabulary files, by id.
inline constexpr std::string_view special_entries[special_tokens] = {"<unk>", "<s>", "</s>"};

}  // namespace formwork
