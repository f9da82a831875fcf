#pragma once
// How a token knows where it stands.
//
//   sinusoidal   fixed waves, the sines in the first half of the columns   tensor2tensor, fairseq, OpenNMT
//   interleaved_sinusoidal   fixed waves, sine and cosine in turn           the formula of the original paper
//   learned      a trainable row for each position                          BERT, GPT
//   rotary       queries and keys are turned by an angle that grows with the position   LLaMA, GPT-NeoX
//   interleaved_rotary   the same with other pairs of columns                           RoFormer, GPT-J
//   alibi        self-attention looks less at what is far away; works beyond the trained lengths
//   no_position  nothing
//
// A fixed code is a struct with `static double code(index_t position, index_t column, index_t width)`. A code
// that knows only so many positions says so with `static constexpr index_t longest`. A code that acts inside
// of self-attention has `static constexpr expr turn(expr x, int heads)`, applied to queries and to keys.
#include <formwork/ops/position.hpp>
#include <formwork/ops/rotary.hpp>

#include <cmath>
#include <concepts>
#include <limits>

namespace formwork {

/// A fixed code: a number for each position (from 0) and column.
template <class P>
concept fixed_position_code = requires(index_t i) {
  { P::code(i, i, i) } -> std::convertible_to<double>;
};

/// Any way of telling positions: adds something to the embedded tokens.
template <class P>
concept position = requires(expr x, label name) {
  { P::apply(x, name) } -> std::same_as<expr>;
} || fixed_position_code<P>;

/// Says in one sentence what a type lacks to be a position code.
template <class P>
consteval bool explain_position() {
  static_assert(position<P>,
                "position: add 'static double code(index_t position, index_t column, index_t width)'");
  return position<P>;
}

/// Column c < D/2: sin(p / 10000^(c / (D/2 - 1))), column D/2 + c: the cosine; p counts from `first`.
/// An odd last column is 0. The published models that this library is tested against count from 1;
/// tensor2tensor itself counts from 0, fairseq from 2: `struct mine : basic_sinusoidal<2> {}` and the like.
/// Source: the layout of tensor2tensor;
///         the formula differs from Vaswani et al. 2017, section 3.5, in the exponent
template <index_t First = 1>
struct basic_sinusoidal {
  static double code(index_t position, index_t column, index_t width) {
    const index_t half = width / 2;
    if (column >= 2 * half) return 0;
    const double exponent = half > 1 ? double(column % half) / double(half - 1) : 0;
    const double angle = double(position + First) * std::exp(-exponent * std::log(10000.0));
    return column < half ? std::sin(angle) : std::cos(angle);
  }
};
struct sinusoidal : basic_sinusoidal<> {};

/// Column 2i: sin(p / 10000^(2i / D)), column 2i + 1: the cosine; p counts from 0.
/// Source: Vaswani et al. 2017, section 3.5
struct interleaved_sinusoidal {
  static double code(index_t position, index_t column, index_t width) {
    const double angle = double(position) * std::pow(10000.0, -double(column / 2 * 2) / double(width));
    return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
};

/// A trainable row for each of `Longest` positions; a longer sequence is an error at run time.
/// Source: Gehring et al. 2017, section 3.1; Devlin et al. 2019
template <index_t Longest = 512>
struct learned {
  static_assert(Longest >= 1, "position: learned<n> needs at least one position");
  static constexpr index_t longest = Longest;
  static constexpr expr apply(expr x, label name) {
    return ops::learned_position(x, Longest, join(name, "weight"));
  }
};

/// The most tokens of a sequence that a code P has positions for, marks included.
template <class P>
inline constexpr index_t longest_sequence = std::numeric_limits<index_t>::max();
template <class P>
  requires requires { P::longest; }
inline constexpr index_t longest_sequence<P> = P::longest;

/// No position code.
struct no_position {
  static constexpr expr apply(expr x, label) { return x; }
};

/// A code that acts on the queries and keys of self-attention instead of the embedding.
template <class P>
concept turning_position = requires(expr x, int heads) {
  { P::turn(x, heads) } -> std::same_as<expr>;
};

/// Rotary positions: the i-th pair of columns of each head of queries and keys is turned by the angle
/// position * Base^(-2i / K), position counted from 0; nothing is added to the embedding. Self-attention then
/// depends on distances only. Cross-attention is left alone: its two sides count different things.
/// Heads need an even width.
template <class Op, index_t Base = 10000>
struct basic_rotary {
  static_assert(Base >= 1, "position: the base of rotary positions must be at least 1");
  static constexpr expr apply(expr x, label) { return x; }
  static constexpr expr turn(expr x, int heads) { return ops::rotary<Op>(x, heads, double(Base)); }
};
/// Rotary positions on the pairs (i, K/2 + i) of each head's K columns of queries and keys.
/// Source: Su et al. 2021 (RoFormer), section 3.2, in the layout of GPT-NeoX and LLaMA
struct rotary : basic_rotary<rotary_op> {};
/// Rotary positions on the pairs (2i, 2i + 1).
/// Source: Su et al. 2021 (RoFormer), eq. 34
struct interleaved_rotary : basic_rotary<interleaved_rotary_op> {};

/// ALiBi: in self-attention a logit falls with the distance of query and key, by another slope in each head:
/// 2^(-8 h / H), h from 1. Nothing is added to the embedding. In an encoder the distance counts both ways.
/// Source: Press, Smith, Lewis 2022, section 3
struct alibi {
  static constexpr bool distance_bias = true;
  static constexpr expr apply(expr x, label) { return x; }
};

/// True if self-attention has ALiBi's bias with position code P.
template <class P>
inline constexpr bool has_distance_bias = false;
template <class P>
  requires requires { P::distance_bias; }
inline constexpr bool has_distance_bias<P> = P::distance_bias;

static_assert(position<sinusoidal> && position<interleaved_sinusoidal> && position<learned<>> &&
              position<no_position> && position<rotary> && turning_position<interleaved_rotary> &&
              has_distance_bias<alibi>);

}  // namespace formwork
