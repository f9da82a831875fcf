#pragma once
#include <doctest/doctest.h>

#include <formwork/model/check_gradient.hpp>
#include <formwork/model/layers.hpp>

namespace formwork_test {

/// Layers are types whose graph is made by an equation:
/// this makes one of `Equation::y(x)`, x having D columns.
template <class Equation, formwork::index_t D, formwork::axis A = formwork::axis::source>
struct equation_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const formwork::expr y = Equation::y(formwork::stream_input(g, D, A));
    formwork::detail::set_outputs(g, std::array{y});
    return g;
  }();
};

/// Every gradient of the layer is right; returns how many were checked.
template <class Layer, class Dialect = formwork::dialect>
int gradients_pass(const formwork::check_lengths& lengths = {}, const formwork::dropout_rates& dropout = {},
                   std::uint64_t seed = 1) {
  const auto checks = formwork::check_gradient<Layer, Dialect>(lengths, seed, dropout);
  for (const formwork::gradient_check& c : checks) {
    CAPTURE(c.name);
    CAPTURE(c.derivative);
    CAPTURE(c.coarse);
    CAPTURE(c.fine);
    CHECK(c.passed());
  }
  return int(checks.size());
}

}  // namespace formwork_test
