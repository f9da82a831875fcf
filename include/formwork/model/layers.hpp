#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/model/config.hpp>

namespace formwork {

namespace detail {

/// The `norm` of a placement's equation, of a sub-layer or of a whole layer: norm of another value gets
/// parameters of its own (norm, norm2, ...), norm of the same value is the same norm.
template <class Norm>
struct numbered_norm {
  static constexpr int capacity = 24;
  struct calls {
    label prefix{};
    sublayer part = sublayer::self_attention;
    int heads = 1;
    short value[capacity]{}, result[capacity]{};
    int count = 0;
  };
  calls* made;
  sublayer part;  ///< the sub-layer whose equation this is
  int heads;      ///< of the model's attentions

  // Not members with initialisers: clang 14 has no constant for those inside of a template's lambda.
  constexpr explicit numbered_norm(calls* made) : made(made), part(made->part), heads(made->heads) {}

  /// The name of a parameter of the equation's own.
  constexpr label name(label own) const { return join(made->prefix, own); }

  constexpr expr operator()(expr x) const {
    for (int i = 0; i < made->count; ++i)
      if (made->value[i] == x.id) return {x.g, made->result[i]};
    if (made->count == capacity) throw "norm placement: an equation has more than 24 norms";
    const expr y = Norm::apply(x, name(name_of(made->count + 1)));
    made->value[made->count] = x.id;
    made->result[made->count++] = y.id;
    return y;
  }

 private:
  static constexpr label name_of(int number) {
    label name = "norm";
    int end = 4;
    if (number >= 10) name.characters[end++] = char('0' + number / 10);
    if (number >= 2) name.characters[end] = char('0' + number % 10);
    return name;
  }
};

/// The `norm` of a placement's `head`: of each head's columns.
template <class Norm>
struct projection_norm_call {
  label prefix{};
  sublayer part{};
  int heads = 1;  ///< of these queries, keys or values

  constexpr label name(label own) const { return join(prefix, own); }
  constexpr expr operator()(expr x) const {
    static_assert(explain_head_norm<Norm>());
    return Norm::apply(x, name("norm"), heads);
  }
};

constexpr label name_of(projection p) {
  return p == projection::query ? "query" : p == projection::key ? "key" : "value";
}

/// Declares what leaves the layer. A stream must have memory of its own: an input, a view or a value that
/// leaves twice is multiplied by 1.
template <std::size_t S>
constexpr void set_outputs(graph& g, const std::array<expr, S>& streams) {
  for (std::size_t s = 0; s < S; ++s) {
    expr y = streams[s];
    bool plain = !y.n().is_input() && !y.n().op->view;
    for (std::size_t j = 0; j < s; ++j) plain = plain && g.outputs[j] != y.id;
    if (!plain) {
      y = append(
          g, {.op = &record_of<scale_op>, .in = {y.id, -1, -1, -1}, .width = y.width(), .rows = y.rows()});
    }
    g.outputs[s] = y.id;
  }
  g.output_count = int(S);
}

constexpr label name_of(sublayer part) {
  return part == sublayer::feed_forward     ? "ffn"
         : part == sublayer::self_attention ? "self_attention"
                                            : "cross_attention";
}

/// Places the sub-layers f... one behind the other by the placement's equation. Norms are named after their
/// sub-layer; those of an equation of the whole layer belong to none and have no prefix.
template <class C, std::size_t S, class... F>
constexpr std::array<expr, S> place_sublayers(std::array<expr, S> x, const sublayer (&part)[sizeof...(F)],
                                              F... f) {
  using P = typename C::placement;
  using norm_type = numbered_norm<typename C::norm>;
  typename norm_type::calls made[sizeof...(F)]{};
  for (std::size_t i = 0; i < sizeof...(F); ++i)
    made[i] = {
        .prefix = has_layer<P> ? label("") : name_of(part[i]), .part = part[i], .heads = C::size.heads};
  std::size_t i = 0;
  if constexpr (has_layer<P>) {
    return P::layer(x, norm_type{made}, f...);
  } else if constexpr (has_stream_block<P>) {
    ((x = P::block(x, f, norm_type{&made[i++]})), ...);
    return x;
  } else {
    ((x[0] = P::block(x[0], f, norm_type{&made[i++]})), ...);
    return x;
  }
}

/// Configuration C with another placement.
template <class C, class Placement>
struct placed : C {
  using placement = Placement;
};
template <class C>
struct sections {
  using lower = C;
  using upper = C;
};
template <class C>
requires has_sections<typename C::placement>
struct sections<C> {
  using lower = placed<C, typename C::placement::lower>;
  using upper = placed<C, typename C::placement::upper>;
};
/// The configurations of the lower and the upper layers of a stack; C itself where all layers are equal.
template <class C>
using lower_section = typename sections<C>::lower;
template <class C>
using upper_section = typename sections<C>::upper;

}  // namespace detail

/// The parts of a layer as functions of one value, with the parameter names that all models share.
template <class C>
struct sublayers {
  static constexpr dims size = C::size;

  /// What the placement puts in front of the last product of a branch.
  static constexpr expr inside(expr h, sublayer part) {
    using P = typename C::placement;
    using norm_type = detail::numbered_norm<typename C::norm>;
    typename norm_type::calls made{
        .prefix = join(detail::name_of(part), "inside"), .part = part, .heads = size.heads};
    if constexpr (requires { P::inside(h, part, norm_type{&made}); })
      return P::inside(h, part, norm_type{&made});
    else
      return h;
  }

  /// What the configuration's attentions have beyond the usual one; positions count in self-attention only.
  static constexpr attention_form form(bool self) {
    return {.key_heads = size.kv_heads,
            .distance_bias = self && has_distance_bias<typename C::position>,
            .window = self ? C::window : 0,
            .cap = C::logit_cap};
  }

  /// Queries, keys or values with the norms of their heads: the configuration's, then the placement's.
  static constexpr expr projected(expr x, projection p, sublayer part) {
    using P = typename C::placement;
    const int heads = p == projection::query ? size.heads : size.key_heads();
    const label name = join(detail::name_of(part), detail::name_of(p));
    const expr y = C::head_norm::apply(x, p, join(name, "head_norm"), heads);
    using norm_type = detail::projection_norm_call<typename C::norm>;
    if constexpr (requires { P::head(y, p, part, norm_type{}); })
      return P::head(y, p, part, norm_type{.prefix = name, .part = part, .heads = heads});
    else
      return y;
  }

  /// Queries or keys of self-attention with their position, where the position code acts on them.
  static constexpr expr turned(expr x, int heads) {
    if constexpr (turning_position<typename C::position>)
      return C::position::turn(x, heads);
    else
      return x;
  }

  static constexpr expr self_attention(expr x, bool causal) {
    const expr q = ops::linear(x, size.d_model, "self_attention.query", role::query);
    const expr k = ops::linear(x, size.key_width(), "self_attention.key", role::key);
    const expr v = ops::linear(x, size.key_width(), "self_attention.value", role::value);
    constexpr sublayer part = sublayer::self_attention;
    const expr a = ops::attention(turned(projected(q, projection::query, part), size.heads),
                                  turned(projected(k, projection::key, part), size.key_heads()),
                                  projected(v, projection::value, part), size.heads, causal, form(true));
    const expr y = inside(a, part);
    return ops::dropout(ops::linear(y, size.d_model, "self_attention.output", role::output),
                        dropout_place::residual);
  }
  static constexpr expr cross_attention(expr x, expr memory) {
    const expr q = ops::linear(x, size.d_model, "cross_attention.query", role::cross_query);
    const expr k = ops::linear(memory, size.key_width(), "cross_attention.key", role::cross_key);
    const expr v = ops::linear(memory, size.key_width(), "cross_attention.value", role::cross_value);
    constexpr sublayer part = sublayer::cross_attention;
    const expr a = ops::attention(projected(q, projection::query, part), projected(k, projection::key, part),
                                  projected(v, projection::value, part), size.heads, false, form(false));
    const expr y = inside(a, part);
    return ops::dropout(ops::linear(y, size.d_model, "cross_attention.output", role::cross_output),
                        dropout_place::residual);
  }
  /// The hidden values of a feed-forward block of activation A, plain or gated.
  template <class A>
  static constexpr expr hidden(expr x) {
    if constexpr (gated_activation<A>) {
      const expr gate = ops::linear(x, size.d_ff, "ffn.gate", role::up);
      return ops::gate(typename A::gate{}, gate, ops::linear(x, size.d_ff, "ffn.up", role::up));
    } else {
      return ops::apply(A{}, ops::linear(x, size.d_ff, "ffn.up", role::up));
    }
  }
  static constexpr expr feed_forward(expr x) {
    const expr h = ops::dropout(hidden<typename C::activation>(x), dropout_place::activation);
    return ops::dropout(ops::linear(inside(h, sublayer::feed_forward), size.d_model, "ffn.down", role::down),
                        dropout_place::residual);
  }
};

/// One encoder layer: self-attention and feed-forward.
template <class C>
struct encoder_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    constexpr std::size_t S = std::size_t(streams_of<typename C::placement>);
    std::array<expr, S> x{};
    for (expr& s : x) s = stream_input(g, C::size.d_model, axis::source);
    x = detail::place_sublayers<C>(
        x, {sublayer::self_attention, sublayer::feed_forward},
        [](expr y) { return sublayers<C>::self_attention(y, false); },
        [](expr y) { return sublayers<C>::feed_forward(y); });
    detail::set_outputs(g, x);
    return g;
  }();
};

/// One decoder layer: causal self-attention, cross-attention to the encoder's result, feed-forward.
template <class C>
struct decoder_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    constexpr std::size_t S = std::size_t(streams_of<typename C::placement>);
    std::array<expr, S> x{};
    for (expr& s : x) s = stream_input(g, C::size.d_model, axis::target);
    const expr memory = memory_input(g, C::size.d_model);
    x = detail::place_sublayers<C>(
        x, {sublayer::self_attention, sublayer::cross_attention, sublayer::feed_forward},
        [](expr y) { return sublayers<C>::self_attention(y, true); },
        [memory](expr y) { return sublayers<C>::cross_attention(y, memory); },
        [](expr y) { return sublayers<C>::feed_forward(y); });
    detail::set_outputs(g, x);
    return g;
  }();
};

/// One layer of a decoder without an encoder: causal self-attention and feed-forward.
template <class C>
struct causal_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    constexpr std::size_t S = std::size_t(streams_of<typename C::placement>);
    std::array<expr, S> x{};
    for (expr& s : x) s = stream_input(g, C::size.d_model, axis::target);
    x = detail::place_sublayers<C>(
        x, {sublayer::self_attention, sublayer::feed_forward},
        [](expr y) { return sublayers<C>::self_attention(y, true); },
        [](expr y) { return sublayers<C>::feed_forward(y); });
    detail::set_outputs(g, x);
    return g;
  }();
};

namespace detail {
/// Configuration C for a model with one stack: its output projection is tied to its only embedding or not.
template <class C>
struct one_vocabulary : C {
  static constexpr tying ties = C::ties == tying::none ? tying::none : tying::all;
};
}  // namespace detail

/// What stands in front of a stack: scaled token embedding, position code, segments, norm, dropout.
template <class C, axis A>
struct embedding_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    constexpr bool source = A == axis::source;
    constexpr label table = C::ties == tying::all ? "embedding.weight"
                            : source              ? "source_embedding.weight"
                                                  : "target_embedding.weight";
    expr x = ops::embedding(g, A, source ? parameter::source_vocabulary : parameter::target_vocabulary,
                            C::size.d_model, table,
                            C::scaled_embedding ? constant_sqrt(double(C::size.d_model)) : 1);
    if constexpr (fixed_position_code<typename C::position>)
      x = ops::fixed_position(x);
    else
      x = C::position::apply(x, "position");
    if constexpr (source && C::segments > 0)
      x = x + ops::segment_embedding(g, A, C::segments, C::size.d_model, "segment.weight");
    if constexpr (C::embedding_norm || requires { requires C::placement::embedding_norm; })
      x = C::norm::apply(x, "norm");
    detail::set_outputs(g, std::array{ops::dropout(x, dropout_place::embedding)});
    return g;
  }();
};

/// What stands behind a stack: the streams become one value, with a last norm where the placement has one.
template <class C, axis A>
struct final_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    using P = typename C::placement;
    constexpr std::size_t S = std::size_t(streams_of<P>);
    std::array<expr, S> x{};
    for (expr& s : x) s = stream_input(g, C::size.d_model, A);
    expr y = x[0];
    using norm_type = detail::numbered_norm<typename C::norm>;
    typename norm_type::calls made{.prefix = "merge"};
    if constexpr (requires { P::merge(x, norm_type{&made}); }) y = P::merge(x, norm_type{&made});
    if constexpr (P::final_norm) y = C::norm::apply(y, "norm");
    detail::set_outputs(g, std::array{y});
    return g;
  }();
};

/// What a masked-language-model head does in front of the output projection: norm(f(x W^T + b)), for rows
/// that were picked from an encoder's result; f is the gate's function where the activation is a gate.
/// Source: Devlin et al. 2019, as in their program
template <class C>
struct masked_head {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr x = stream_input(g, C::size.d_model, axis::target);
    const expr product = ops::linear(x, C::size.d_model, "transform", role::up);
    using A = typename C::activation;
    const auto activated = [&] {
      if constexpr (gated_activation<A>)
        return ops::apply(typename A::gate{}, product);
      else
        return ops::apply(A{}, product);
    };
    detail::set_outputs(g, std::array{C::norm::apply(activated(), "norm")});
    return g;
  }();
};

/// The parameters of the output projection.
template <class C>
struct output_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    constexpr label table = C::ties == tying::all      ? "embedding.weight"
                            : C::ties == tying::output ? "target_embedding.weight"
                                                       : "head.weight";
    declare(g, {.name = table,
                .role = C::ties == tying::none ? role::head : role::embedding,
                .rows = parameter::target_vocabulary,
                .columns = C::size.d_model,
                .shared = true});
    if (C::output_bias)
      declare(
          g, {.name = "head.bias", .role = role::bias, .rows = parameter::target_vocabulary, .shared = true});
    return g;
  }();
};

}  // namespace formwork
