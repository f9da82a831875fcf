#pragma once
#include <formwork/core/types.hpp>

namespace formwork {

/// A size or an offset that is linear in the token counts of a batch:
/// source * S + target * T + constant elements.
struct extent {
  index_t source = 0, target = 0, constant = 0;

  constexpr index_t at(index_t source_rows, index_t target_rows) const {
    return source * source_rows + target * target_rows + constant;
  }
  constexpr bool operator==(const extent&) const = default;
  friend constexpr extent operator+(extent a, extent b) {
    return {a.source + b.source, a.target + b.target, a.constant + b.constant};
  }
  friend constexpr extent operator*(index_t n, extent a) {
    return {n * a.source, n * a.target, n * a.constant};
  }
  /// True if a <= b whatever the token counts are.
  friend constexpr bool never_above(extent a, extent b) {
    return a.source <= b.source && a.target <= b.target && a.constant <= b.constant;
  }
  /// The smallest extent that is never below either.
  friend constexpr extent upper(extent a, extent b) {
    return {a.source > b.source ? a.source : b.source, a.target > b.target ? a.target : b.target,
            a.constant > b.constant ? a.constant : b.constant};
  }
};

}  // namespace formwork
