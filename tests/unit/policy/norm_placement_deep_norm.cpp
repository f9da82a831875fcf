#include <formwork/policy/norm_placement/deep_norm.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::encoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;
using doctest::Approx;

TEST_CASE("deep_norm: the equation, and its constants as published") {
  placement_reference<deep_norm> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return run.norm(at + "norm", std::pow(18.0, 0.25) * x + run.f(i, x));
  });
  CHECK(deep_norm::alpha(encoder_place(0, 6, 6)) == Approx(1.418).epsilon(4e-4));
  CHECK(deep_norm::beta(encoder_place(0, 6, 6)) == Approx(0.497).epsilon(1e-3));
  CHECK(deep_norm::alpha(decoder_place(0, 6, 6)) == Approx(2.060).epsilon(4e-4));
  CHECK(deep_norm::beta(decoder_place(0, 6, 6)) == Approx(0.343).epsilon(1e-3));
  CHECK(deep_norm::alpha(encoder_place(0, 12, 6)) == Approx(1.6862).epsilon(5e-5));
  CHECK(deep_norm::beta(encoder_place(0, 12, 6)) == Approx(0.4179).epsilon(2e-4));
  CHECK(deep_norm::alpha(encoder_place(0, 100, 0)) == Approx(3.7606).epsilon(2e-5));
  CHECK(deep_norm::beta(encoder_place(0, 100, 0)) == Approx(0.1880).epsilon(3e-4));
  CHECK(deep_norm::alpha(decoder_place(0, 0, 100)) == deep_norm::alpha(encoder_place(0, 100, 0)));
  static_assert(deep_norm::alpha(encoder_place(0, 8, 0)) == 2);
  const auto gain = [](role r) {
    return deep_norm::gain({.role = r, .stack = stack_kind::encoder, .encoder_layers = 8});
  };
  for (const role r : {role::value, role::output, role::up, role::down, role::cross_value})
    CHECK(gain(r) == Approx(std::pow(64.0, -0.25)));
  for (const role r : {role::query, role::key, role::cross_query, role::embedding, role::bias})
    CHECK(gain(r) == 1);
}

TEST_CASE("admin: the factor multiplies the skip connection and starts by the depth") {
  placement_reference<admin> run(decoder_place(1, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return run.norm(at + "norm", run.parameter(at + "omega") * x + run.f(i, x));
  });
  CHECK(admin::omega(18) == Approx(std::sqrt(19 / std::log(19.0) - 1)).epsilon(1e-14));
  const parameter_info p{.name = "cross_attention.omega",
                         .role = role::scalar,
                         .stack = stack_kind::decoder,
                         .encoder_layers = 6,
                         .decoder_layers = 6};
  CHECK(admin::gain(p) == admin::omega(18));
}
