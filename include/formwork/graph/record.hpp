#pragma once
#include <formwork/core/fixed_string.hpp>

namespace formwork {

struct node;
struct graph;

/// Which values an op's backward kernel reads: they stay in memory until then, all others are given up early.
struct backward_reads {
  unsigned inputs = 0;  ///< bit i: the value of input i
  bool output = false;  ///< the op's own result
};

/// Multiplications and additions of the forward kernel, counted separately, for one row of the result.
struct row_cost {
  double flops = 0;          ///< for each row
  double flops_per_key = 0;  ///< for each row and each key the row attends to
};

/// What the graph has to know of an op, whatever the number type and the backend. Made from the op type by
/// `record_of`; its address is the op's identity in a node.
struct op_record {
  label name{};
  backward_reads (*reads)(const node&) = nullptr;
  unsigned (*passes)(const node&) = nullptr;      ///< bit i: input i's gradient is the result's, unchanged
  unsigned (*mixes_rows)(const node&) = nullptr;  ///< bit i: a row of the result needs other rows of input i
  index_t (*saved_width)(const node&) = nullptr;  ///< numbers a row that forward keeps for backward
  row_cost (*cost)(const graph&, const node&) = nullptr;
  bool view = false;     ///< the result is a column range of input 0; nothing is computed
  bool element = false;  ///< an element function: it fits into a product's epilogue
  bool gates = false;    ///< an element function with f'(x) = (f(x) > 0), as relu
  bool drops = false;    ///< the kernels apply node::dropout to the result: one behind it can be absorbed
};

/// The record of op type Op. An op is a struct with
///   static constexpr label name;
///   template <class Call> static void forward(const Call&);     see graph/call.hpp
///   template <class Call> static void backward(const Call&);
/// and, where the default (reads nothing, passes nothing, mixes no rows, saves nothing, costs nothing) is
/// wrong,
///   static constexpr backward_reads reads(const node&);
///   static constexpr unsigned passes(const node&);
///   static constexpr unsigned mixes_rows(const node&);
///   static constexpr index_t saved_width(const node&);
///   static constexpr row_cost cost(const graph&, const node&);
template <class Op>
inline constexpr op_record record_of = [] {
  op_record r{.name = Op::name,
              .reads = [](const node&) { return backward_reads{}; },
              .passes = [](const node&) { return 0u; },
              .mixes_rows = [](const node&) { return 0u; },
              .saved_width = [](const node&) { return index_t{0}; },
              .cost = [](const graph&, const node&) { return row_cost{}; }};
  if constexpr (requires { &Op::reads; }) r.reads = &Op::reads;
  if constexpr (requires { &Op::passes; }) r.passes = &Op::passes;
  if constexpr (requires { &Op::mixes_rows; }) r.mixes_rows = &Op::mixes_rows;
  if constexpr (requires { &Op::saved_width; }) r.saved_width = &Op::saved_width;
  if constexpr (requires { &Op::cost; }) r.cost = &Op::cost;
  if constexpr (requires { Op::view; }) r.view = Op::view;
  if constexpr (requires { Op::drops; }) r.drops = Op::drops;
  if constexpr (requires { Op::gates; }) {
    r.element = true;
    r.gates = Op::gates;
  }
  return r;
}();

}  // namespace formwork
