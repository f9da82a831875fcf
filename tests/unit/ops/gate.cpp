#include <formwork/ops/gate.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

/// The hidden part of a gated block: both products are one, the dropout is in the gate.
template <class F>
struct block {
  static constexpr expr y(expr x) {
    const expr a = ops::linear(x, 11, "gate", role::up), b = ops::linear(x, 11, "up", role::up);
    const expr h = ops::dropout(ops::gate(F{}, a, b), dropout_place::activation);
    return ops::linear(h, x.width(), "down", role::down);
  }
};
/// The gate's value without dropout is needed too.
struct with_and_without {
  static constexpr expr y(expr x) {
    const expr h = ops::gate(silu{}, x, x);
    return h + ops::dropout(h, dropout_place::activation);
  }
};
struct of_itself {
  static constexpr expr y(expr x) { return ops::gate(silu{}, x, x); }
};
/// Both operands go on elsewhere.
struct tangle {
  static constexpr expr y(expr x) {
    const expr a = 2.0 * x;
    return ops::gate(gelu{}, x, a) + ops::gate(relu{}, a, x) + a;
  }
};

}  // namespace

TEST_CASE("gate: a gated block is two products and one pass between them") {
  using layer = equation_layer<block<silu>, 5>;
  constexpr graph g = fuse(layer::graph, standard_fusions);
  int products = 0, gates = 0, others = 0;
  for (int i = 0; i < g.count; ++i) {
    products += g[i].op == &record_of<linear_op>;
    gates += g[i].op == &record_of<gate_op<silu>> && g[i].dropout == dropout_place::activation;
    others += !g[i].is_input() && !g[i].op->view;
  }
  CHECK((products == 2 && gates == 1 && others == 3));
  layer_run<layer> run(std::vector<index_t>{1, 2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  const auto at = [&](const char* name, const double* x, index_t n, index_t c) {
    auto w = run.parameters().value(std::string(name) + ".weight");
    double sum = run.parameters().value(std::string(name) + ".bias").data[c];
    for (index_t k = 0; k < n; ++k) sum += x[k] * w.row(c)[k];
    return sum;
  };
  for (index_t r = 0; r < 3; ++r) {
    double h[11];
    for (index_t c = 0; c < 11; ++c) {
      const double gate = at("gate", run.input(0).row(r), 5, c);
      h[c] = gate / (1 + std::exp(-gate)) * at("up", run.input(0).row(r), 5, c);
    }
    for (index_t c = 0; c < 5; ++c)
      CHECK(run.output(0).row(r)[c] == doctest::Approx(at("down", h, 11, c)).epsilon(1e-12));
  }
}

TEST_CASE("gate: a value that is needed without dropout too is computed once") {
  constexpr graph g = fuse(equation_layer<with_and_without, 5>::graph, standard_fusions);
  int gates = 0;
  for (int i = 0; i < g.count; ++i) gates += g[i].op == &record_of<gate_op<silu>>;
  CHECK(gates == 1);
  CHECK(gradients_pass<equation_layer<with_and_without, 5>>({}, {.activation = 0.3}) == 1);
}

TEST_CASE_TEMPLATE("gate: gradients of a gated block, with dropout too", F, silu, gelu, logistic_sigmoid) {
  CHECK(gradients_pass<equation_layer<block<F>, 5>>() == 7);
  CHECK(gradients_pass<equation_layer<block<F>, 5>>({}, {.activation = 0.3}) == 7);
}

TEST_CASE("gate: gradients of one value twice, and of operands that are used elsewhere") {
  CHECK(gradients_pass<equation_layer<of_itself, 17>>({.source = {2, 0, 31}}) == 1);
  CHECK(gradients_pass<equation_layer<of_itself, 1>>({.source = {1}}) == 1);
  CHECK(gradients_pass<equation_layer<tangle, 7>>() == 1);
}

TEST_CASE("gate: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<block<silu>, 31>>(1e-4);
  formwork_test::runs_alike<equation_layer<tangle, 130>>();
}
