#include <formwork/policy/init/depth_scaled.hpp>
//
#include <doctest/doctest.h>

#include <formwork/model/decoder.hpp>
#include <formwork/policy/init/check.hpp>

using namespace formwork;

namespace {

constexpr random_stream stream{.seed = 5, .stream = 6};

parameter_info place(role r, stack_kind stack, int layer) {
  return {.role = r,
          .rows = 9,
          .columns = 5,
          .start = 0.75,
          .stack = stack,
          .layer = layer,
          .encoder_layers = 8,
          .decoder_layers = 18};
}

/// What a wrapper multiplies the values of its base by; all elements agree.
template <class Outer, class Base>
double factor(const Outer& outer, const Base& base, const parameter_info& p) {
  const double first = outer(p, stream, 0) / base(p, stream, 0);
  for (std::uint64_t i = 1; i < 45; ++i)
    CHECK(outer(p, stream, i) == doctest::Approx(first * base(p, stream, i)).epsilon(1e-14).scale(0));
  return first;
}

struct small : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .decoder_layers = 8};
};

}  // namespace

TEST_CASE("depth_scaled: ends of branches are divided by sqrt(2 L), L of their own stack, in every layer") {
  for (const role r : {role::output, role::cross_output, role::down})
    for (const int layer : {0, 7}) {
      CHECK(factor(depth_scaled{}, normal{}, place(r, stack_kind::encoder, layer)) ==
            doctest::Approx(1 / 4.0));
      CHECK(factor(depth_scaled{}, normal{}, place(r, stack_kind::decoder, layer)) ==
            doctest::Approx(1 / 6.0));
    }
}

TEST_CASE("depth_scaled: everything else has the values of the base") {
  for (int r = 0; r <= int(role::scalar); ++r) {
    if (role(r) == role::output || role(r) == role::cross_output || role(r) == role::down) continue;
    CAPTURE(r);
    CHECK(factor(depth_scaled{xavier_normal{}}, xavier_normal{}, place(role(r), stack_kind::decoder, 3)) ==
          1);
  }
}

TEST_CASE("depth_scaled: Megatron's form is cut at three deviations of the smaller normal distribution") {
  const depth_scaled megatron{truncated_normal{.stddev = 0.1, .deviations = 3}};
  parameter_info p = place(role::down, stack_kind::decoder, 0);
  p.rows = 5000;
  double largest = 0;
  for (index_t i = 0; i < p.size(); ++i)
    largest = std::max(largest, std::fabs(megatron(p, stream, std::uint64_t(i))));
  CHECK(largest <= 0.3 / 6);
  CHECK(largest > 0.98 * 0.3 / 6);
}

TEST_CASE("ds_init: all matrices of layer l, from 1, are times alpha / sqrt(l), tables and vectors are not") {
  for (int r = 0; r <= int(role::scalar); ++r) {
    if (role(r) == role::head) continue;  // stands in no stack
    CAPTURE(r);
    const bool scaled = is_matrix(role(r));
    for (const stack_kind stack : {stack_kind::encoder, stack_kind::decoder}) {
      CHECK(factor(ds_init{}, xavier_uniform{}, place(role(r), stack, 0)) == 1);
      CHECK(factor(ds_init{normal{}}, normal{}, place(role(r), stack, 3)) ==
            doctest::Approx(scaled ? 1 / 2.0 : 1.0));
      CHECK(factor(ds_init{normal{}, 0.5}, normal{}, place(role(r), stack, 3)) ==
            doctest::Approx(scaled ? 1 / 4.0 : 1.0));
    }
    CHECK(factor(ds_init{}, xavier_uniform{}, place(role(r), stack_kind::none, 0)) == 1);
  }
  CHECK(ds_init{normal{}, 0.5}(place(role::head, stack_kind::none, 0), stream, 1) ==
        normal{}(place(role::head, stack_kind::none, 0), stream, 1));
}

TEST_CASE("depth_scaled and ds_init: a model tells them its depth and its layers") {
  const decoder<small> base(11, normal{}), deep(11, depth_scaled{}), falling(11, ds_init{normal{}});
  const auto ratio = [&](const decoder<small>& model, const char* name) {
    const std::size_t i = base.parameters().find(name);
    const index_t at = base.parameters().entries()[i].offset;
    return double(model.parameters().values()[at]) / double(base.parameters().values()[at]);
  };
  CHECK(ratio(deep, "decoder.0.ffn.down.weight") == doctest::Approx(1 / 4.0));
  CHECK(ratio(deep, "decoder.7.self_attention.output.weight") == doctest::Approx(1 / 4.0));
  CHECK(ratio(deep, "decoder.7.ffn.up.weight") == doctest::Approx(1));
  CHECK(ratio(falling, "decoder.0.ffn.up.weight") == doctest::Approx(1));
  CHECK(ratio(falling, "decoder.3.ffn.up.weight") == doctest::Approx(1 / 2.0));
  CHECK(ratio(falling, "embedding.weight") == doctest::Approx(1));
}

TEST_CASE(
    "depth_scaled and ds_init: the public check accepts them, bad numbers are refused with a sentence") {
  CHECK_NOTHROW(check_initialiser(depth_scaled{}));
  CHECK_NOTHROW(check_initialiser(ds_init{}));
  CHECK_NOTHROW(check_initialiser(ds_init{depth_scaled{xavier_normal{}}}));
  CHECK_THROWS_WITH_AS((ds_init{normal{}, 0}.validate()),
                       "ds_init: alpha is 0, expected a finite number above 0", error);
  CHECK_THROWS_AS((depth_scaled{normal{.stddev = -1}}.validate()), error);
  CHECK_THROWS_AS((ds_init{normal{.stddev = -1}}.validate()), error);
}
