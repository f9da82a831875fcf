#pragma once
#include <formwork/kernels/cpu/rotary.hpp>
#include <formwork/graph/call.hpp>
#include <formwork/ops/heads.hpp>

namespace formwork {

namespace detail {
/// Rotates each head's columns by the position of the row in its sequence.
/// Shapes:   x [N, H K] -> y [N, H K]
/// Gradient: dx = the rotation back of dy
/// Source:   Su et al. 2021 (RoFormer), eq. 34
template <cpu::rotary_pairs Pairs>
struct rotary_family {
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 3.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    const cpu::rotation r{.rows = c.position_rows(), .first = c.first_position(), .heads = heads_of(c.n),
                          .base = c.n.alpha, .pairs = Pairs};
    cpu::rotate<typename Call::scalar>(c.backend, r, c.in[0], c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    const cpu::rotation r{.rows = c.pass.of(c.n.rows), .heads = heads_of(c.n), .base = c.n.alpha,
                          .pairs = Pairs, .back = true};
    cpu::rotate<typename Call::scalar>(c.backend, r, c.d_out, c.d_in[0], c.adds[0]);
  }
};
}  // namespace detail

/// Column i of a head is turned with column K/2 + i: LLaMA, GPT-NeoX.
struct rotary_op : detail::rotary_family<cpu::rotary_pairs::halves> {
  static constexpr label name = "rotary";
};
/// Column 2i of a head is turned with column 2i + 1: the paper, GPT-J.
struct interleaved_rotary_op : detail::rotary_family<cpu::rotary_pairs::neighbours> {
  static constexpr label name = "interleaved_rotary";
};

namespace ops {

/// Queries or keys of `heads` heads, rotated by their positions; Op is rotary_op or interleaved_rotary_op.
/// Error: heads that do not divide the width, an odd width of a head, a base that is not above 0.
template <class Op = rotary_op>
constexpr expr rotary(expr x, int heads, double base = 10000) {
  if (heads < 1 || x.width() % heads) throw "rotary: the width must be a multiple of heads";
  if (x.width() / heads % 2) throw "rotary: the width of a head must be even";
  if (!(base > 0)) throw "rotary: the base must be above 0";
  return push(*x.g, {.op = &record_of<Op>,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .alpha = base,
                     .heads = detail::kept_heads(heads)});
}

}  // namespace ops

}  // namespace formwork
