#pragma once
// Where the norm stands relative to the residual connection: one struct, one equation.
//
//   post_norm           N(x + f(x))            the original; needs warm-up; best when tuned and shallow
//   pre_norm            x + f(N(x))            trains without warm-up and at any depth; the usual choice
//   sandwich_norm       x + N(f(N(x)))         pre_norm that diverges; peri_norm: and behind the embedding
//   reordered_norm      x + N(f(x))            with a norm of queries and keys
//   keel                N(a x + f(N(x)))       very deep, without a special initialisation
//   deep_norm           N(a x + f(x))          post_norm's quality at depth, with scaled initial values
//   admin               N(w x + f(x))          the same with trainable, profiled factors
//   sub_norm            x + f(N(x)), N in f    and scaled initial values; norm_former: also factors of heads
//   b2t                 post_norm, and the layer's input at its end
//   parallel_block      x + attention(N(x)) + ffn(N(x))
//   residual_dual       post_norm and pre_norm in two streams; siamese_norm: another pair
//   hyper_connections_static    four streams: f reads a trainable mixture of them; behind it they mix anew
//   hyper_connections           the same with mixtures that depend on the token
//   manifold_hyper_connections  the same with weighted means as mixtures, for large models
//   scaled_norm         x + f(N(x) / sqrt(l))  deep pre_norm whose upper layers learn too little
//   layer_scale         x + diag(w) f(N(x))    small factors first; deep stacks
//   rezero, skip_init   x + w f(x)             no norm; layers begin as the identity
//   t_fixup, fixup      x + f(x)               no norm; initial values by the depth
//   gru_gated           a recurrent unit's gate in the place of the sum
//   mix_norm            post_norm below, pre_norm above; hybrid_norm: norms of queries, keys, values
//
// Each has a header named after it or after its first relative; all.hpp lists them.
//
// To write one, give it the equation of a sub-layer, f being attention or feed-forward with its dropout:
//
//   struct sandwich {
//     static constexpr formwork::label name = "sandwich";
//     static constexpr bool final_norm = true;   // one more norm behind the last layer of each stack
//     static constexpr formwork::expr block(formwork::expr x, auto f, auto norm) {
//       return x + norm(f(norm(x)));
//     }
//   };
//
// Each norm(...) in the equation gets parameters of its own; norm of the same value written twice is one
// norm. Numbers scale a value (0.5 * x), `formwork::ops` has everything else that may stand in an equation.
// What a placement may have besides:
//
//   // norm.name("gate") names a parameter of the equation's own; norm.part says which sub-layer f is,
//   // norm.heads how many heads an attention has.
//   // More than one stream from layer to layer; all start as the embedding.
//   static constexpr int streams = 2;
//   static constexpr std::array<expr, 2> block(std::array<expr, 2> s, auto f, auto norm);
//   static constexpr expr merge(std::array<expr, 2> s, auto norm);  // last of all; else stream 0 goes on
//   // The equation of a whole layer instead of `block`, f... being all its sub-layers. Its norms, 24 at
//   // most, are named norm, norm2, ... in the order of their calls: write two in two statements.
//   static constexpr std::array<expr, 2> layer(std::array<expr, 2> s, auto norm, auto... f);
//   // Something inside of a branch, in front of its last product: the joined heads of an attention, the
//   // hidden values of a feed-forward block.
//   static constexpr expr inside(expr h, sublayer part, auto norm);
//   // Something in front of an attention: each head's queries, keys or values; norm(x) normalises each head
//   // on its own (norm.heads of them), with one norm for each projection.
//   static constexpr expr head(expr x, projection p, sublayer part, auto norm);
//   // One more norm right behind the embedding.
//   static constexpr bool embedding_norm = true;
//   // A factor for the initial values of each parameter.
//   static double gain(const parameter_info& p);
//   // The first value of element i of every role::scalar parameter; p.start where the equation's is right.
//   static double start(const parameter_info& p, index_t i);
//   // Two placements instead of an equation: the layers below lower_layers(depth) and the others.
//   using lower = post_norm;
//   using upper = pre_norm;
//   static constexpr int lower_layers(int depth);
#include <formwork/ops/add.hpp>

#include <array>
#include <concepts>

namespace formwork {

/// The sub-layers of a layer.
enum class sublayer : std::uint8_t { self_attention, cross_attention, feed_forward };

/// What an attention makes of its inputs first.
enum class projection : std::uint8_t { query, key, value };

namespace detail {
/// Stands for a sub-layer and for a norm where only the form of an equation matters.
struct probe_function {
  sublayer part = sublayer::self_attention;
  int heads = 1;
  constexpr expr operator()(expr x) const { return x; }
  constexpr label name(label own) const { return own; }
};
template <class P>
concept has_block = requires(expr x) {
  { P::block(x, probe_function{}, probe_function{}) } -> std::same_as<expr>;
};
template <class P>
using stream_array = std::array<expr, std::size_t(P::streams)>;
template <class P>
concept has_stream_block = requires {
  { P::streams } -> std::convertible_to<int>;
  { P::block(stream_array<P>{}, probe_function{}, probe_function{}) } -> std::same_as<stream_array<P>>;
};
template <class P>
concept has_layer = requires {
  { P::streams } -> std::convertible_to<int>;
  {
    P::layer(stream_array<P>{}, probe_function{}, probe_function{}, probe_function{})
    } -> std::same_as<stream_array<P>>;
};
template <class P>
concept has_equation = has_block<P> || has_stream_block<P> || has_layer<P>;
template <class P>
concept has_sections = requires(int depth) {
  typename P::lower;
  typename P::upper;
  { P::lower_layers(depth) } -> std::convertible_to<int>;
}
&&has_equation<typename P::lower>&& has_equation<typename P::upper>;
}  // namespace detail

/// A rule of where norms and residuals stand in a layer.
template <class P>
concept norm_placement = requires {
  { P::name } -> std::convertible_to<label>;
  { P::final_norm } -> std::convertible_to<bool>;
}
&&(detail::has_equation<P> || detail::has_sections<P>);

/// Number of values that flow from layer to layer.
template <norm_placement P>
inline constexpr int streams_of = [] {
  if constexpr (requires { P::streams; })
    return int(P::streams);
  else if constexpr (detail::has_sections<P>)
    return streams_of<typename P::lower>;
  else
    return 1;
}();

/// Says in one sentence what a type lacks to be a norm placement.
template <class P>
consteval bool explain_norm_placement() {
  static_assert(
      requires {
        { P::name } -> std::convertible_to<label>;
      },
      "norm placement: add 'static constexpr formwork::label name = \"...\";'");
  static_assert(
      requires {
        { P::final_norm } -> std::convertible_to<bool>;
      },
      "norm placement: add 'static constexpr bool final_norm = ...;' (a norm behind the last layer)");
  static_assert(
      detail::has_equation<P> || detail::has_sections<P>,
      "norm placement: add 'static constexpr formwork::expr block(formwork::expr x, auto f, auto norm)'");
  if constexpr (detail::has_sections<P>)
    static_assert(
        streams_of<P> == 1 ||
            requires(detail::stream_array<typename P::lower> s) { P::merge(s, detail::probe_function{}); },
        "norm placement: sections of several streams need a 'merge' of the whole placement");
  return norm_placement<P>;
}

namespace detail {

/// The lower section's number of layers; all layers where a placement has one section only.
template <class P>
constexpr int lower_layers(int depth) {
  if constexpr (!has_sections<P>)
    return depth;
  else if (const int n = P::lower_layers(depth); n >= 0 && n <= depth)
    return n;
  else
    throw "norm placement: lower_layers(depth) must be between 0 and depth";
}

/// True for parameters of the lower section, and for those outside of all layers.
template <class P>
bool in_lower_section(const parameter_info& p) {
  return p.stack == stack_kind::none || p.layer < lower_layers<P>(p.place().layers());
}

/// The factor that a placement gives the initial values of a parameter.
template <class P>
double gain_of(const parameter_info& p) {
  if (p.stack == stack_kind::none && p.role <= role::down) return 1;  // a product outside of all layers
  if constexpr (requires { P::gain(p); }) {
    return P::gain(p);
  } else if constexpr (has_sections<P>) {
    return in_lower_section<P>(p) ? gain_of<typename P::lower>(p) : gain_of<typename P::upper>(p);
  } else {
    return 1;
  }
}

/// The function that gives the elements of a placement's numbers their first values; null where it has none.
using element_start = double (*)(const parameter_info&, index_t);
template <class P>
constexpr element_start start_of() {
  if constexpr (requires(const parameter_info& p) { P::start(p, index_t{0}); }) {
    return [](const parameter_info& p, index_t i) -> double { return P::start(p, i); };
  } else if constexpr (has_sections<P>) {
    if constexpr (start_of<typename P::lower>() != nullptr || start_of<typename P::upper>() != nullptr)
      return [](const parameter_info& p, index_t i) -> double {
        const element_start f =
            in_lower_section<P>(p) ? start_of<typename P::lower>() : start_of<typename P::upper>();
        return f ? f(p, i) : p.start;
      };
    else
      return nullptr;
  } else {
    return nullptr;
  }
}

}  // namespace detail

/// x' = N(x + f(x)).
/// Final norm: none, the last layer's output is normalised already.
/// Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020, table 1 left. Their claim: large gradients
/// near the output at initialisation, hence warm-up.
struct post_norm {
  static constexpr label name = "post_norm";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto norm) { return norm(x + f(x)); }
};

/// x' = x + f(N(x)).
/// Final norm: one behind each stack.
/// Source: Xiong et al. 2020, table 1 right. Their claim: gradients about 1/sqrt(layers) of post_norm's,
/// no warm-up needed.
struct pre_norm {
  static constexpr label name = "pre_norm";
  static constexpr bool final_norm = true;
  static constexpr expr block(expr x, auto f, auto norm) { return x + f(norm(x)); }
};

static_assert(norm_placement<post_norm> && norm_placement<pre_norm>);

}  // namespace formwork
