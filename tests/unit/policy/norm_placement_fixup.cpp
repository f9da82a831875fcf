#include <formwork/policy/norm_placement/fixup.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;
using doctest::Approx;

TEST_CASE("t_fixup: no norm, and initial values by the depth") {
  placement_reference<t_fixup> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string&, const row& x) { return x + run.f(i, x); });
  const auto gain = [](role r, stack_kind stack, label name = "") {
    return t_fixup::gain({.name = name, .role = r, .stack = stack, .encoder_layers = 6, .decoder_layers = 8});
  };
  CHECK(gain(role::embedding, stack_kind::none) == Approx(std::pow(54.0, -0.25)));
  CHECK(gain(role::embedding, stack_kind::none, "target_embedding.weight") == Approx(std::pow(72.0, -0.25)));
  for (const role r : {role::value, role::output, role::up, role::down}) {
    CHECK(gain(r, stack_kind::encoder) == Approx(0.67 * std::pow(6.0, -0.25)));
    CHECK(gain(r, stack_kind::decoder) == Approx(std::pow(72.0, -0.25)));
  }
  CHECK(gain(role::cross_value, stack_kind::decoder) == Approx(std::pow(72.0, -0.25)));
  CHECK(gain(role::query, stack_kind::encoder) == 1);
}

TEST_CASE("fixup: a multiplier and shifts around each branch, the last product of each starts at 0") {
  placement_reference<fixup> run(decoder_place(1, 6, 6));
  const auto shifted = [&](const std::string& name, row x) {
    for (double& a : x.v) a += run.parameter(name).v[0];
    return x;
  };
  run.expect_each([&](int i, const std::string& at, const row& x) {
    const row y = run.f(i, shifted(at + "shift_in", x));
    return x + shifted(at + "shift_out", run.parameter(at + "multiplier").v[0] * y);
  });
  const auto gain = [](role r, stack_kind stack) {
    return fixup::gain({.role = r, .stack = stack, .encoder_layers = 6, .decoder_layers = 6});
  };
  for (const role r : {role::output, role::cross_output, role::down, role::head})
    CHECK(gain(r, stack_kind::decoder) == 0);
  CHECK(gain(role::up, stack_kind::encoder) == Approx(1 / std::sqrt(12.0)));
  CHECK(gain(role::up, stack_kind::decoder) == Approx(1 / std::sqrt(18.0)));
  CHECK(gain(role::embedding, stack_kind::none) == 1);
  const graph& g = encoder_layer<formwork_test::placement_config<fixup>>::graph;
  int inside = 0;
  for (int i = 0; i < g.parameter_count; ++i) inside += g.parameters[i].name.view().ends_with("inside.shift");
  CHECK(inside == 2);
}
