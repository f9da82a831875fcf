#pragma once
#include <formwork/graph/call.hpp>

namespace formwork {

/// Columns [first, first + width) of x: a view, nothing is copied.
struct slice_op {
  static constexpr label name = "slice";
  static constexpr bool view = true;
};

}  // namespace formwork
