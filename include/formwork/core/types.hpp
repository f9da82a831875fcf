#pragma once
#include <formwork/core/abi_guard.hpp>

#include <cstdint>

namespace formwork {

using index_t = std::int64_t;  ///< sizes, counts and offsets; 64-bit, so no corpus or tensor is too long
using token_t = std::int32_t;  ///< an entry of a vocabulary
using step_t = std::int64_t;   ///< number of an update, counted from 1

}  // namespace formwork
