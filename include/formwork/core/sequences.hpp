#pragma once
#include <formwork/core/types.hpp>

namespace formwork {

/// The two kinds of token rows of an encoder-decoder:
/// an activation has one row for each source or target token.
enum class axis : std::uint8_t { source, target };

/// How the packed rows of one axis divide into sequences: sequence b is rows [start[b], start[b + 1]).
/// A batch has no padding (DESIGN section 4); an empty sequence is legal. A view: the owner outlives it.
struct sequences {
  const index_t* start = nullptr;  // [count + 1], start[0] = 0, ascending
  index_t count = 0;

  constexpr index_t rows() const { return count ? start[count] : 0; }
  constexpr index_t begin(index_t b) const { return start[b]; }
  constexpr index_t length(index_t b) const { return start[b + 1] - start[b]; }
};

}  // namespace formwork
