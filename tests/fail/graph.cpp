// expect[1]: "residual add: both sides must have the same width"
// expect[2]: "residual add: both sides must run over the same token axis"
// expect[3]: "attention: d_model must be a multiple of heads"
// expect[4]: "attention: causal attention needs queries and keys on one token axis"
// expect[5]: "attention: keys and values must run over the same token axis"
// expect[6]: "attention: queries, keys and values must have one width"
// expect[7]: "graph: two parameters of one name differ in shape, role or first value"
// expect[8]: "linear: the number of outputs must be at least 1"
// expect[9]: "op_list: the layer uses an op that is not in the model's op list; add it with extend"
// expect[10]: "label: a name has at most 39 characters"
// expect[11]: "decoding: an op mixes rows of the target; only causal attention may"
// expect[12]: "decoding: an op mixes rows of the target; only causal attention may"
// expect[13]: "graph: a layer has more nodes than graph::max_nodes"
// expect[14]: "multiply: both sides must have the same width"
// expect[15]: "multiply: both sides must run over the same token axis"
// expect[16]: "gate: both sides must have the same width"
// expect[17]: "gate: both sides must run over the same token axis"
// expect[18]: "head_scale: the width must be a multiple of heads"
// expect[19]: "rotary: the width of a head must be even"
// expect[20]: "attention: heads must be a multiple of the heads of keys and values"
// expect[21]: "attention: a distance bias or a window needs queries and keys on one token axis"
#include <formwork/model/layer_run.hpp>
#include <formwork/model/layers.hpp>

using namespace formwork;

struct stranger {
  static constexpr label name = "stranger";
  template <class Call>
  static void forward(const Call&) {}
  template <class Call>
  static void backward(const Call&) {}
};

/// y = x + the row above.
struct convolution {
  static constexpr label name = "convolution";
  static constexpr unsigned mixes_rows(const node&) { return 0b1; }
  template <class Call>
  static void forward(const Call&) {}
  template <class Call>
  static void backward(const Call&) {}
};
struct own_dialect : dialect {
  using ops = dialect::ops::extend<convolution>;
};

constexpr expr equation(expr x, expr memory) {
  const expr y = ops::linear(x, 8, "f", role::up);
#if CASE == 1
  return x + ops::linear(x, 9, "wide", role::up);
#elif CASE == 2
  return x + memory;
#elif CASE == 3
  return ops::attention(y, y, y, 3, true);
#elif CASE == 4
  return ops::attention(y, memory, memory, 2, true);
#elif CASE == 5
  return ops::attention(y, memory, y, 2, false);
#elif CASE == 6
  return ops::attention(y, ops::linear(x, 10, "wide", role::up), y, 2, true);
#elif CASE == 7
  return ops::linear(y, 10, "f", role::up);
#elif CASE == 8
  return ops::linear(y, 0, "none", role::up);
#elif CASE == 9
  return push(*x.g, {.op = &record_of<stranger>, .in = {y.id, -1, -1, -1}, .width = 8, .rows = x.rows()});
#elif CASE == 10
  return ops::linear(y, 8, "a_name_that_is_much_too_long_for_a_table", role::up);
#elif CASE == 11
  return push(*x.g, {.op = &record_of<convolution>, .in = {y.id, -1, -1, -1}, .width = 8, .rows = x.rows()});
#elif CASE == 12
  return ops::attention(y, y, y, 2, false);
#elif CASE == 13
  expr z = y;
  for (int i = x.g->count; i < graph::max_nodes; ++i) z = 2.0 * z;
  return x;
#elif CASE == 14
  return x * ops::linear(x, 9, "wide", role::up);
#elif CASE == 15
  return x * memory;
#elif CASE == 16
  return ops::gate(silu{}, x, ops::linear(x, 9, "wide", role::up));
#elif CASE == 17
  return ops::gate(silu{}, x, memory);
#elif CASE == 18
  return ops::head_scale(x, 3, "scale", 1);
#elif CASE == 19
  return ops::rotary(x, 8);
#elif CASE == 20
  return ops::attention(y, y, y, 4, true, {.key_heads = 3});
#elif CASE == 21
  return ops::attention(y, memory, memory, 2, false, {.window = 4});
#else
  return x + ops::attention(y, memory, memory, 2, false);
#endif
}

struct layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr x = stream_input(g, 8, axis::target);
    detail::set_outputs(g, std::array{equation(x, memory_input(g, 8))});
    return g;
  }();
};

template class formwork::program<layer, own_dialect, double, cpu_backend>;
