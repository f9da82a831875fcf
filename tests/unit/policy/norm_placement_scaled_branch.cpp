#include <formwork/policy/norm_placement/scaled_branch.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("scaled_norm: branches see less the higher they stand") {
  placement_reference<scaled_norm> run(decoder_place(2, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return x + run.f(i, 1 / std::sqrt(3.0) * run.norm(at + "norm", x));
  });
}

TEST_CASE("layer_scale: a factor for each column, smaller in deeper stacks") {
  placement_reference<layer_scale> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return x + run.parameter(at + "layer_scale") * run.f(i, run.norm(at + "norm", x));
  });
  CHECK(layer_scale::start(18) == 0.1);
  CHECK(layer_scale::start(24) == 1e-5);
  CHECK(layer_scale::start(36) == 1e-6);
  const auto gain = [](label name) {
    return layer_scale::gain({.name = name,
                              .role = role::scalar,
                              .stack = stack_kind::encoder,
                              .encoder_layers = 20,
                              .decoder_layers = 6});
  };
  CHECK(gain("ffn.layer_scale") == 1e-5);
  CHECK(gain("ffn.up.weight") == 1);
}

TEST_CASE("rezero: one factor for all branches of a layer, skip_init: one for each") {
  placement_reference<rezero> run(decoder_place(1, 6, 6));
  run.expect_each(
      [&](int i, const std::string&, const row& x) { return x + run.parameter("alpha").v[0] * run.f(i, x); });
  placement_reference<skip_init> skip(decoder_place(1, 6, 6));
  skip.expect_each([&](int i, const std::string& at, const row& x) {
    return x + skip.parameter(at + "alpha").v[0] * skip.f(i, x);
  });
  using C = formwork_test::placement_config<rezero>;
  for (int i = 0; i < encoder_layer<C>::graph.parameter_count; ++i)
    if (encoder_layer<C>::graph.parameters[i].role == role::scalar)
      CHECK(encoder_layer<C>::graph.parameters[i].start == 0);
}
