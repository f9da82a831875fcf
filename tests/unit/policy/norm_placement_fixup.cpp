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
