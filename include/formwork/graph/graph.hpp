#pragma once
#include <formwork/core/attention_form.hpp>
#include <formwork/core/role.hpp>
#include <formwork/core/sequences.hpp>
#include <formwork/graph/record.hpp>

#include <limits>

namespace formwork {

/// Where dropout may act; the rates are run-time numbers (`dropout_rates`), so changing one compiles nothing.
enum class dropout_place : std::uint8_t { none, embedding, attention, activation, residual };

/// The parameters of one operation: at most four indices into graph::parameters, -1 where there is none.
struct parameter_list {
  short index[4];

  constexpr parameter_list(short a = -1, short b = -1, short c = -1, short d = -1) : index{a, b, c, d} {}
  constexpr short operator[](int i) const { return index[i]; }
  constexpr const short* begin() const { return index; }
  constexpr const short* end() const { return index + 4; }
  constexpr bool operator==(const parameter_list&) const = default;
};

/// The operands of one operation: at most six indices into graph::nodes, -1 where there is none.
struct operands {
  static constexpr int capacity = 6;
  short index[capacity];

  constexpr operands(short a = -1, short b = -1, short c = -1, short d = -1, short e = -1, short f = -1)
      : index{a, b, c, d, e, f} {}
  constexpr short& operator[](int i) { return index[i]; }
  constexpr short operator[](int i) const { return index[i]; }
  constexpr short* begin() { return index; }
  constexpr short* end() { return index + capacity; }
  constexpr const short* begin() const { return index; }
  constexpr const short* end() const { return index + capacity; }
  constexpr bool operator==(const operands&) const = default;
};

/// One operation of a layer: the value has `width` columns and one row for each token of axis `rows`.
struct node {
  const op_record* op = nullptr;  ///< null for an input of the layer
  operands in{};                  ///< as indices into the table
  index_t width = 0;
  axis rows = axis::source;
  parameter_list parameter{};
  double alpha = 1;               ///< scale
  double (*alpha_of_layer)(const layer_place&) = nullptr;  ///< scale that differs from layer to layer
  int heads = 0;
  bool causal = false;
  attention_form form{};          ///< attention: what it has beyond the usual one
  int parts = 1;                  ///< linear: this many matrices lie behind each other and are one product
  index_t column = 0;             ///< slice: its first column in input 0
  const op_record* activation = nullptr;  ///< linear: element function in the epilogue
  dropout_place dropout = dropout_place::none;
  label name{};

  constexpr bool is_input() const { return op == nullptr; }
  constexpr bool operator==(const node&) const = default;
};

/// A trainable array of a layer. `rows` may be `vocabulary`, a number that is known at run time only.
struct parameter {
  static constexpr index_t source_vocabulary = -1, target_vocabulary = -2;
  static constexpr double by_role = std::numeric_limits<double>::max();  ///< constant_start of the role

  label name{};
  formwork::role role{};
  index_t rows = 0;
  index_t columns = 1;
  bool shared = false;  ///< one array of this name for the whole model (tied embeddings)
  double start = by_role;  ///< first value of a vector or a number (matrices are drawn); `declare` fills it in
};

/// A layer as a table, filled by evaluating its equation at compile time. Operands stand before their users.
/// Streams are what flows from layer to layer: usually one, more for multi-stream placements.
struct graph {
  static constexpr int max_nodes = 96, max_parameters = 80, max_streams = 4;

  node nodes[max_nodes]{};
  int count = 0;
  parameter parameters[max_parameters]{};
  int parameter_count = 0;
  short inputs[max_streams]{-1, -1, -1, -1};
  short outputs[max_streams]{-1, -1, -1, -1};
  int input_count = 0, output_count = 0;
  short memory = -1;  ///< the encoder's result, an input that every decoder layer reads

  constexpr const node& operator[](int i) const { return nodes[i]; }
  /// Number of nodes that read node i, plus one if it leaves the layer.
  constexpr int uses(int i) const {
    int n = 0;
    for (int j = 0; j < count; ++j)
      for (short k : nodes[j].in) n += k == i;
    for (int s = 0; s < output_count; ++s) n += outputs[s] == i;
    return n;
  }
};

/// A value inside a layer's equation: a handle into the graph that is being built. Ordinary functions over
/// `expr` values are the whole language of placements and blocks.
struct expr {
  graph* g = nullptr;
  short id = -1;

  constexpr const node& n() const { return g->nodes[id]; }
  constexpr index_t width() const { return n().width; }
  constexpr axis rows() const { return n().rows; }
};

/// Adds a node.
constexpr expr append(graph& g, const node& n) {
  if (g.count == graph::max_nodes) throw "graph: a layer has more nodes than graph::max_nodes";
  g.nodes[g.count] = n;
  return {&g, short(g.count++)};
}

/// Adds a node, or finds the equal one: a subexpression that is written twice is computed once.
constexpr expr push(graph& g, const node& n) {
  if (!n.is_input())
    for (int i = 0; i < g.count; ++i)
      if (g.nodes[i] == n) return {&g, short(i)};
  return append(g, n);
}

/// Declares a parameter, or finds the one of this name; a second declaration must agree with the first.
constexpr short declare(graph& g, parameter p) {
  if (p.start == parameter::by_role) p.start = constant_start(p.role);
  for (int i = 0; i < g.parameter_count; ++i)
    if (g.parameters[i].name == p.name) {
      const parameter& q = g.parameters[i];
      if (q.rows != p.rows || q.columns != p.columns || q.role != p.role || q.start != p.start)
        throw "graph: two parameters of one name differ in shape, role or first value";
      return short(i);
    }
  if (g.parameter_count == graph::max_parameters)
    throw "graph: a layer has more parameters than graph::max_parameters";
  g.parameters[g.parameter_count] = p;
  return short(g.parameter_count++);
}

/// A stream that enters the layer; streams are numbered in the order of these calls.
constexpr expr stream_input(graph& g, index_t width, axis rows) {
  if (g.input_count == graph::max_streams) throw "graph: more streams than graph::max_streams";
  const expr x = push(g, {.width = width, .rows = rows, .name = "stream"});
  g.inputs[g.input_count++] = x.id;
  return x;
}

/// The encoder's result, as every decoder layer reads it.
constexpr expr memory_input(graph& g, index_t width) {
  const expr m = push(g, {.width = width, .rows = axis::source, .name = "memory"});
  g.memory = m.id;
  return m;
}

}  // namespace formwork
