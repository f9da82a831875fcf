#pragma once
#include <formwork/graph/graph.hpp>

namespace formwork {

/// Throws the sentence unless both values belong to one graph and run over the same token axis.
constexpr void check_same_rows(expr a, expr b, const char* sentence) {
  if (a.g != b.g) throw "graph: two values of different layers meet in one equation";
  if (a.rows() != b.rows()) throw sentence;
}

}  // namespace formwork
