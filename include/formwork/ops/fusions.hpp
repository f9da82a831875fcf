#pragma once
#include <formwork/graph/fuse.hpp>
#include <formwork/ops/add.hpp>
#include <formwork/ops/linear.hpp>
#include <formwork/ops/slice.hpp>

namespace formwork {

namespace detail {

constexpr bool is_op(const graph& g, int i, const op_record& record) { return i >= 0 && g[i].op == &record; }

/// True if node i leaves the layer: the next one expects it in memory of its own.
constexpr bool is_output(const graph& g, int i) {
  for (int s = 0; s < g.output_count; ++s)
    if (g.outputs[s] == i) return true;
  return false;
}

/// A linear node that only `user` reads and whose epilogue nothing has been put behind yet.
constexpr bool is_open_linear(const graph& g, int i) {
  return is_op(g, i, record_of<linear_op>) && g.uses(i) == 1 && g[i].in[1] < 0;
}

/// Parameter q lies right behind p in memory: no other matrix (or no other vector) is declared between them.
constexpr bool follows(const graph& g, short p, short q) {
  if (p < 0 || q < 0) return p == q;
  const bool matrix = g.parameters[p].columns > 1;
  for (int i = p + 1; i < q; ++i)
    if ((g.parameters[i].columns > 1) == matrix) return false;
  return q > p && (g.parameters[q].columns > 1) == matrix;
}

/// linear(x) and later linears of the same x whose parameters lie behind each other become one product; each
/// of the old nodes becomes a view of its columns.
constexpr bool join_linears(graph& g, int at) {
  if (!is_op(g, at, record_of<linear_op>) || g[at].in[1] >= 0 || is_output(g, at)) return false;
  if (g.count == graph::max_nodes) return false;
  int member[4]{at};
  int count = 1;
  for (int i = at + 1; i < g.count && count < 4; ++i) {
    const node &a = g[member[count - 1]], &b = g[i];
    if (b.op == a.op && b.in[0] == a.in[0] && b.in[1] < 0 && !is_output(g, i) &&
        follows(g, a.parameter[0], b.parameter[0]) && follows(g, a.parameter[1], b.parameter[1]))
      member[count++] = i;
  }
  if (count == 1) return false;
  for (int i = g.count; i > at; --i) g.nodes[i] = g.nodes[i - 1];  // room for the joint node in front
  ++g.count;
  const auto shift = [at](short k) { return short(k >= at ? k + 1 : k); };
  for (int i = at + 1; i < g.count; ++i)
    for (short& k : g.nodes[i].in) k = shift(k);
  for (int s = 0; s < g.input_count; ++s) g.inputs[s] = shift(g.inputs[s]);
  for (int s = 0; s < g.output_count; ++s) g.outputs[s] = shift(g.outputs[s]);
  g.memory = shift(g.memory);
  node& joint = g.nodes[at];
  joint = g.nodes[at + 1];
  joint.in[0] = g.nodes[at + 1].in[0];
  joint.width = 0;
  joint.parts = count;
  for (int k = 0; k < count; ++k) {
    node& part = g.nodes[member[k] + 1];
    part = {.op = &record_of<slice_op>, .in = {short(at), -1, -1, -1}, .width = part.width, .rows = part.rows,
            .column = joint.width, .name = part.name};
    joint.width += part.width;
  }
  return true;
}

/// f(linear(x)): the element function moves into the product's epilogue.
constexpr bool absorb_activation(graph& g, int at) {
  const node n = g[at];
  if (n.is_input() || !n.op->element || !is_open_linear(g, n.in[0])) return false;
  const node product = g[n.in[0]];
  if (product.activation || product.dropout != dropout_place::none) return false;
  g.nodes[at] = product;
  g.nodes[at].activation = n.op;
  return true;
}

/// dropout(linear(x)), dropout(gate(a, b)): the mask moves into the kernel.
constexpr bool absorb_dropout(graph& g, int at) {
  const node n = g[at];
  if (!is_op(g, at, record_of<dropout_op>)) return false;
  const node before = g[n.in[0]];
  if (before.is_input() || !before.op->drops || g.uses(n.in[0]) != 1) return false;
  if (before.op == &record_of<linear_op> && !is_open_linear(g, n.in[0])) return false;
  if (before.dropout != dropout_place::none) return false;
  g.nodes[at] = before;
  g.nodes[at].dropout = n.dropout;
  return true;
}

/// r + linear(x): the residual is added in the epilogue.
constexpr bool absorb_residual(graph& g, int at) {
  const node n = g[at];
  if (!is_op(g, at, record_of<add_op>) || n.in[0] == n.in[1]) return false;
  for (int side = 1; side >= 0; --side) {
    if (!is_open_linear(g, n.in[side]) || g[n.in[side]].activation) continue;
    g.nodes[at] = g[n.in[side]];
    g.nodes[at].in[1] = n.in[1 - side];
    return true;
  }
  return false;
}

}  // namespace detail

/// The library's fusion rules, in the order in which they are tried.
inline constexpr std::array<fusion, 4> standard_fusions{{
    {"linears of one operand", detail::join_linears},
    {"linear + activation", detail::absorb_activation},
    {"linear or gate + dropout", detail::absorb_dropout},
    {"linear + residual", detail::absorb_residual},
}};

}  // namespace formwork
