#include <formwork/policy/norm_placement/sub_norm.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using doctest::Approx;
using row = formwork_test::row_of_numbers;
using formwork_test::decoder_place;
using formwork_test::encoder_place;
using formwork_test::placement_reference;

TEST_CASE("sub_norm: norms inside of the branches of self-attention and feed-forward, gains by the depth") {
  const auto norms = [](const graph& g) {
    std::string out;
    for (int i = 0; i < g.parameter_count; ++i)
      if (g.parameters[i].role == role::norm_gain)
        out += text(g.parameters[i].name, " ", g.parameters[i].rows, "; ");
    return out;
  };
  using C = formwork_test::placement_config<sub_norm>;
  CHECK(norms(encoder_layer<C>::graph) ==
        "self_attention.norm.gain 6; self_attention.inside.norm.gain 6; "
        "ffn.norm.gain 6; ffn.inside.norm.gain 8; ");
  CHECK(norms(decoder_layer<C>::graph) ==
        "self_attention.norm.gain 6; self_attention.inside.norm.gain 6; cross_attention.norm.gain 6; "
        "ffn.norm.gain 6; ffn.inside.norm.gain 8; ");
  CHECK(sub_norm::gamma(encoder_place(0, 12, 0)) == Approx(std::sqrt(std::log(24.0))).epsilon(1e-14));
  CHECK(sub_norm::gamma(encoder_place(0, 6, 4)) ==
        Approx(std::sqrt(std::log(12.0) * std::log(12.0) / 3)).epsilon(1e-14));
  CHECK(sub_norm::gamma(decoder_place(0, 6, 5)) == Approx(std::sqrt(std::log(15.0))).epsilon(1e-14));
  CHECK(sub_norm::gain({.role = role::cross_value,
                        .stack = stack_kind::decoder,
                        .encoder_layers = 6,
                        .decoder_layers = 6}) == 1);
}

TEST_CASE("norm_former: norms behind attentions and hidden values, factors of heads") {
  placement_reference<norm_former> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    const row y = run.f(i, run.norm(at + "norm", x));
    return x + (i == 2 ? y : run.norm(at + "norm2", y));
  });
  placement_reference<norm_former_scaled> scaled(decoder_place(1, 6, 6));
  scaled.expect_each([&](int i, const std::string& at, const row& x) {
    const row y = scaled.f(i, scaled.norm(at + "norm", x));
    return i == 2 ? scaled.parameter(at + "skip_scale") * x + y : x + scaled.norm(at + "norm2", y);
  });
  std::string all;
  const graph& g = decoder_layer<formwork_test::placement_config<norm_former>>::graph;
  for (int i = 0; i < g.parameter_count; ++i)
    if (g.parameters[i].name.view().find("inside") != std::string_view::npos)
      all += text(g.parameters[i].name, " ", g.parameters[i].rows, " ", g.parameters[i].start, "; ");
  CHECK(all ==
        "self_attention.inside.head_scale 2 1; cross_attention.inside.head_scale 2 1; ffn.inside.norm.gain 8 "
        "1; "
        "ffn.inside.norm.bias 8 0; ");
}
