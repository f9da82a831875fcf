#pragma once
#include <formwork/ops/columns.hpp>
#include <formwork/ops/elementwise.hpp>
#include <formwork/ops/linear.hpp>
#include <formwork/ops/multiply.hpp>
#include <formwork/policy/activation/activation.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// The residual connection is a gate, that of a gated recurrent unit whose state is x and whose input y =
///   f(N(x)): r = sigmoid(W_r y + U_r x);  z = sigmoid(W_z y + U_z x - 2);  h = tanh(W_h y + U_h (r x))
///   x' = (1 - z) x + z h
/// The gate is nearly shut at first, so that a layer starts close to the identity.
/// When:   reinforcement learning, where pre_norm is unstable; six more D x D matrices for each branch
/// Final norm: one behind each stack.
/// Source: Parisotto et al. 2019 (GTrXL), section 3.2, equations of "Gated-Recurrent-Unit-type gating"
struct gru_gated {
  static constexpr label name = "gru_gated";
  static constexpr bool final_norm = true;
  static constexpr double shut = -2;  ///< what stands in front of z's sigmoid at first
  static constexpr expr block(expr x, auto f, auto norm) {
    const expr y = f(norm(x));
    const auto sum = [&](const char* own, expr state) {
      const label gate = norm.name(own);
      return ops::linear(y, x.width(), join(gate, "input"), role::up) +
             ops::linear(state, x.width(), join(gate, "state"), role::up, false);
    };
    const expr r = ops::apply(logistic_sigmoid{}, sum("reset", x));
    const expr z = ops::apply(logistic_sigmoid{}, ops::shift_by(sum("update", x), norm.name("shut"), shut));
    const expr h = ops::apply(hyperbolic_tangent{}, sum("candidate", r * x));
    return x + z * (h - x);
  }
};

static_assert(norm_placement<gru_gated>);

}  // namespace formwork
