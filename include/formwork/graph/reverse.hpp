#pragma once
#include <formwork/graph/layout.hpp>

namespace formwork {

/// One step of a layer's backward pass.
struct gradient_step {
  enum kind : std::uint8_t {
    op,    ///< run the backward kernel of `node`
    copy,  ///< d_in[0] = d_out
    add,   ///< d_in[0] += d_out
    zero   ///< d_in[0] = 0
  };
  kind what = op;
  short node = -1;     ///< the op's node; otherwise a node of the moved gradient's shape
  location d_out{};
  location d_in[operands::capacity]{};  ///< region none: this input gets its gradient in another step
  bool adds[operands::capacity]{};      ///< the kernel must add to what is there
};

/// The backward pass of a layer as a list of steps, with the memory plan of all gradients. Derived from the
/// table by reverse mode. A gradient that passes an addition unchanged is not copied: both operands share the
/// buffer until one of them is about to be changed while another still needs it.
struct gradient_program {
  static constexpr int max_steps = 2 * graph::max_nodes;
  gradient_step steps[max_steps]{};
  int count = 0;
  extent scratch{};
};

namespace detail {

/// The state of deriving a gradient_program: follows which buffer holds the gradient of which node.
class reverse_builder {
 public:
  constexpr explicit reverse_builder(const graph& g) : g_(g) {
    for (short& b : buffer_of_) b = -1;
    for (short s = 0; s < g.input_count || s < g.output_count; ++s) {
      const short like = s < g.output_count ? g.outputs[s] : g.inputs[s];
      buffers_[buffer_count_++] = {.where = region::stream, .stream = s, .width = g[like].width};
      if (s >= g.output_count) continue;
      buffer_of_[g.outputs[s]] = s;
      mark_written(g.outputs[s]);
    }
    for (int i = g.count - 1; i >= 0; --i) mark_live(i);
    buffers_[buffer_count_] = {.where = region::memory};
    memory_buffer_ = short(buffer_count_++);
  }

  constexpr gradient_program build() {
    for (int i = g_.count - 1; i >= 0; --i) {
      if (!g_[i].is_input() && owner_of(g_, i) == i && written_[i]) differentiate(i);
      done_[i] = true;
    }
    for (short s = 0; s < g_.input_count; ++s) finish_stream(s);
    return finish();
  }

 private:
  struct buffer {
    region where = region::scratch;
    short stream = -1;
    axis rows = axis::source;
    index_t width = 0;
    planned_buffer plan{.first = 1 << 20, .last = -1};
  };

  /// How a step mentions a gradient until the buffers have their offsets.
  struct mention {
    short buffer = -1, node = -1;
  };

  constexpr void differentiate(int i) {
    const node& n = g_[i];
    const unsigned passes = n.op->passes(n);
    gradient_step step{.what = gradient_step::op, .node = short(i)};
    mention d_in[operands::capacity]{};
    bool any = false;
    if (overlaps(n, passes))
      throw "graph: two operands of an op share some columns of one value; give one a copy: 1.0 * x";
    for (int k = 0; k < operands::capacity; ++k) {
      if (n.in[k] < 0 || (passes >> k & 1)) continue;
      if (repeats(n, k) && !written_[n.in[k]]) clear(n.in[k]);
      step.adds[k] = prepare(n.in[k]);
      d_in[k] = {buffer_of_[owner_of(g_, n.in[k])], n.in[k]};
      any = true;
    }
    const bool trains = n.parameter[0] >= 0;
    if (any || trains) emit(step, {buffer_of_[i], short(i)}, d_in);
    for (int k = 0; k < operands::capacity; ++k)
      if (n.in[k] >= 0 && (passes >> k & 1)) pass(i, n.in[k]);
  }

  /// True if operand k of n is an operand of n in another place too:
  /// then no order of writing is right, all must add.
  static constexpr bool repeats(const node& n, int k) {
    for (int j = 0; j < operands::capacity; ++j)
      if (j != k && n.in[j] == n.in[k]) return true;
    return false;
  }

  /// True if the kernel would write the gradients of two different operands to common columns. Tasks of its
  /// threads may be cut by columns, so not even adding is safe then.
  constexpr bool overlaps(const node& n, unsigned passes) const {
    for (int k = 0; k < operands::capacity; ++k)
      for (int j = 0; j < k; ++j)
        if (n.in[k] >= 0 && n.in[j] >= 0 && n.in[k] != n.in[j] && !((passes >> k | passes >> j) & 1) &&
            owner_of(g_, n.in[k]) == owner_of(g_, n.in[j]) && meet(n.in[k], n.in[j]))
          return true;
    return false;
  }

  /// True if two views of one owner have a column in common.
  constexpr bool meet(int a, int b) const {
    const index_t first = column_of(g_, a), other = column_of(g_, b);
    return first < other + g_[b].width && other < first + g_[a].width;
  }

  constexpr void mark_live(int i) {
    for (short output : g_.outputs) live_[i] = live_[i] || output == i;
    if (!live_[i]) return;
    for (short k : g_[i].in)
      if (k >= 0) live_[k] = true;
  }

  /// True if the views of `owner` that are read have each of its columns exactly once and nothing reads the
  /// whole: then every view's gradient is written on its own, as that of queries, keys and values.
  constexpr bool is_tiled(int owner) const {
    bool read[graph::max_nodes]{};
    for (int i = 0; i < g_.count; ++i)
      for (short k : g_[i].in)
        if (k >= 0 && live_[i] && owner_of(g_, i) == i && owner_of(g_, k) == owner) read[k] = true;
    index_t columns = 0;
    for (int a = 0; a < g_.count; ++a) {
      if (!read[a]) continue;
      for (int b = 0; b < a; ++b)
        if (read[b] && meet(a, b)) return false;
      columns += g_[a].width;
    }
    return columns == g_[owner].width;
  }

  /// The gradient of m holds a value from now on; that of an owner holds one in the columns of all its views.
  constexpr void mark_written(int m) {
    written_[m] = written_[owner_of(g_, m)] = true;
    for (int i = 0; i < g_.count; ++i)
      if (owner_of(g_, i) == m) written_[i] = true;
  }

  constexpr void clear(int m) {
    if (owner_of(g_, m) == g_.memory || prepare(m)) return;
    const mention to[operands::capacity]{{buffer_of_[owner_of(g_, m)], short(m)}};
    emit(gradient_step{.what = gradient_step::zero, .node = short(m)}, {}, to);
  }

  /// Makes a place for a contribution to the gradient of m; true if it must be added to what is there.
  constexpr bool prepare(int m) {
    const int owner = owner_of(g_, m);
    if (owner == g_.memory) {
      buffer_of_[owner] = memory_buffer_;
      return true;
    }
    if (buffer_of_[owner] < 0) buffer_of_[owner] = allocate(owner);
    if (!written_[m] && m != owner && !is_tiled(owner)) clear(owner);  // all its parts add
    if (!written_[m]) {
      mark_written(m);
      return false;
    }
    if (shared(buffer_of_[owner], owner)) {
      const short old = buffer_of_[owner];
      buffer_of_[owner] = allocate(owner);
      const mention to[operands::capacity]{{buffer_of_[owner], short(owner)}};
      emit(gradient_step{.what = gradient_step::copy, .node = short(owner)}, {old, short(owner)}, to);
    }
    return true;
  }

  /// The gradient of i reaches its operand m unchanged.
  constexpr void pass(int i, int m) {
    const short out = buffer_of_[i];
    const bool plain = owner_of(g_, m) == m && m != g_.memory;
    if (plain && !written_[m] && may_share(out, m)) {
      buffer_of_[m] = out;
      mark_written(m);
      return;
    }
    const bool adds = prepare(m);
    const mention to[operands::capacity]{{buffer_of_[owner_of(g_, m)], short(m)}};
    emit(gradient_step{.what = adds ? gradient_step::add : gradient_step::copy, .node = short(i)},
         {out, short(i)}, to);
  }

  /// A stream's gradient may only travel to the same stream's input without a copy.
  constexpr bool may_share(short b, int m) const {
    if (buffers_[b].where != region::stream) return true;
    for (short s = 0; s < g_.input_count; ++s)
      if (g_.inputs[s] == m) return s == buffers_[b].stream;
    return true;
  }

  /// True if an unfinished node other than `owner` still needs buffer b.
  constexpr bool shared(short b, int owner) const {
    for (int i = 0; i < g_.count; ++i)
      if (i != owner && !done_[i] && buffer_of_[i] == b) return true;
    return false;
  }

  constexpr short allocate(int m) {
    if (g_.input_count == 1 && g_.output_count == 1 && !shared(0, -1) && g_[m].width == buffers_[0].width &&
        g_[m].rows == g_[g_.outputs[0]].rows)
      return 0;  // the stream's own buffer is free at the moment: the result need not be copied there later
    if (buffer_count_ == max_buffers)
      throw "graph: the backward pass of a layer needs more buffers than max_buffers";
    buffers_[buffer_count_] = {.rows = g_[m].rows, .width = g_[m].width};
    return short(buffer_count_++);
  }

  constexpr void finish_stream(short s) {
    const short m = g_.inputs[s];
    const mention to[operands::capacity]{{s, m}};
    if (!written_[m]) emit(gradient_step{.what = gradient_step::zero, .node = m}, {}, to);
    else if (buffer_of_[m] != s)
      emit(gradient_step{.what = gradient_step::copy, .node = m}, {buffer_of_[m], m}, to);
  }

  constexpr void emit(const gradient_step& step, mention d_out, const mention (&d_in)[operands::capacity]) {
    if (out_.count == gradient_program::max_steps)
      throw "graph: the backward pass of a layer has too many steps";
    const int now = out_.count++;
    out_.steps[now] = step;
    out_mention_[now] = d_out;
    touch(d_out, now);
    for (int k = 0; k < operands::capacity; ++k) {
      in_mention_[now][k] = d_in[k];
      touch(d_in[k], now);
    }
  }

  constexpr void touch(mention m, int now) {
    if (m.buffer < 0) return;
    planned_buffer& plan = buffers_[m.buffer].plan;
    if (plan.first > now) plan.first = now;
    plan.last = now;
  }

  constexpr location locate(mention m) const {
    if (m.buffer < 0) return {};
    const buffer& b = buffers_[m.buffer];
    const int owner = owner_of(g_, m.node);
    return {.where = b.where, .stream = b.stream, .offset = b.plan.offset, .stride = g_[owner].width,
            .column = column_of(g_, m.node)};
  }

  constexpr gradient_program finish() {
    planned_buffer plans[max_buffers]{};
    for (int b = 0; b < buffer_count_; ++b) {
      if (buffers_[b].where != region::scratch) continue;
      plans[b] = buffers_[b].plan;
      plans[b].size = extent_of(buffers_[b].rows, buffers_[b].width);
    }
    out_.scratch = place(plans, buffer_count_);
    for (int b = 0; b < buffer_count_; ++b) buffers_[b].plan = plans[b];
    for (int t = 0; t < out_.count; ++t) {
      out_.steps[t].d_out = locate(out_mention_[t]);
      for (int k = 0; k < operands::capacity; ++k) out_.steps[t].d_in[k] = locate(in_mention_[t][k]);
    }
    return out_;
  }

  static constexpr int max_buffers = graph::max_nodes;

  const graph& g_;
  buffer buffers_[max_buffers]{};
  int buffer_count_ = 0;
  short memory_buffer_ = -1;
  short buffer_of_[graph::max_nodes]{};
  bool written_[graph::max_nodes]{}, live_[graph::max_nodes]{}, done_[graph::max_nodes]{};
  gradient_program out_{};
  mention out_mention_[gradient_program::max_steps]{};
  mention in_mention_[gradient_program::max_steps][operands::capacity]{};
};

}  // namespace detail

/// Derives the backward pass of a layer.
constexpr gradient_program differentiate(const graph& g) { return detail::reverse_builder(g).build(); }

}  // namespace formwork
