#include <formwork/policy/norm_placement/gru_gated.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("gru_gated: the residual connection is the gate of a recurrent unit") {
  placement_reference<gru_gated> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    const row y = run.f(i, run.norm(at + "norm", x));
    const auto gate = [&](const std::string& name, const row& state, double shift, auto f) {
      row g = run.product(at + name + ".input.weight", y) + run.product(at + name + ".state.weight", state) +
              run.parameter(at + name + ".input.bias");
      for (double& a : g.v) a = f(a + shift);
      return g;
    };
    const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
    const row r = gate("reset", x, 0, sigmoid),
              z = gate("update", x, run.parameter(at + "shut").v[0], sigmoid),
              h = gate("candidate", r * x, 0, [](double a) { return std::tanh(a); });
    return x + z * (h + -1.0 * x);
  });
}

TEST_CASE("gru_gated: the gate begins nearly shut") {
  const graph& g = encoder_layer<formwork_test::placement_config<gru_gated>>::graph;
  int gates = 0;
  for (int i = 0; i < g.parameter_count; ++i)
    if (g.parameters[i].name.view().ends_with("shut")) gates += g.parameters[i].start == -2;
  CHECK(gates == 2);
}
