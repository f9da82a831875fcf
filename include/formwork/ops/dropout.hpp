#pragma once
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/graph/call.hpp>

namespace formwork {

/// The mask of the call's node: none outside of training, where all rates are 0.
template <class Call>
dropout_site site_of(const Call& c) {
  return {.rate = c.dropout_rate(), .seed = c.pass.seed, .step = c.pass.step, .site = c.dropout_site()};
}

/// Sets elements to zero at random and scales the others up. The mask is drawn again in the backward pass.
/// Gradient: dx = mask dy
struct dropout_op {
  static constexpr label name = "dropout";
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::dropout<typename Call::scalar>(c.backend, c.in[0], c.out, site_of(c), false);
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::dropout<typename Call::scalar>(c.backend, c.d_out, c.d_in[0], site_of(c), c.adds[0]);
  }
};

namespace ops {

/// dropout(x) at the rate that the run gives this place. Equal subexpressions are one value (see push): two
/// dropouts of one value at one place have one mask. Independent masks need different values or places.
constexpr expr dropout(expr x, dropout_place place) {
  return push(*x.g, {.op = &record_of<dropout_op>,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows(),
                     .dropout = place});
}

}  // namespace ops

}  // namespace formwork
