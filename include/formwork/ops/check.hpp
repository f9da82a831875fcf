#pragma once
#include <formwork/graph/graph.hpp>

namespace formwork {

/// True if both values run over the same token axis. Error: values of different layers. The sentence about
/// the axis is thrown by the caller: compilers print the line that throws.
constexpr bool same_rows(expr a, expr b) {
  if (a.g != b.g) throw "graph: two values of different layers meet in one equation";
  return a.rows() == b.rows();
}

}  // namespace formwork
