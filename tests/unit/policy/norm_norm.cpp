#include <formwork/policy/norm/norm.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

namespace {

struct identity {
  static constexpr expr apply(expr x, label) { return x; }
};
struct wrong_result {
  static constexpr int apply(expr, label) { return 0; }
};

struct expected_parameter {
  const char* name;
  role what;
  index_t rows;
  double start;
};

/// The parameters that a norm declares for 18 columns, or for 3 heads of 6.
template <class Norm>
void check_parameters(int heads, std::initializer_list<expected_parameter> expected) {
  graph g{};
  const expr x = stream_input(g, 18, axis::target);
  const expr y = heads > 1 ? Norm::apply(x, "ffn.norm", heads) : Norm::apply(x, "ffn.norm");
  CHECK((y.width() == 18 && y.rows() == axis::target));
  REQUIRE(g.parameter_count == int(expected.size()));
  int i = 0;
  for (const expected_parameter& e : expected) {
    CAPTURE(e.name);
    const parameter& p = g.parameters[i++];
    CHECK(p.name == label(e.name));
    CHECK((p.role == e.what && p.rows == e.rows && p.columns == 1));
    CHECK(p.start == doctest::Approx(e.start).epsilon(1e-14));
  }
}

}  // namespace

static_assert(norm<identity> && explain_norm<identity>() && !norm<wrong_result> && !norm<int>);
static_assert(!head_norm<identity> && explain_head_norm<no_norm>());

TEST_CASE("norm: parameters are named after the norm and start where its paper says") {
  const auto gain = role::norm_gain, bias = role::norm_bias, number = role::scalar;
  check_parameters<layer_norm>(1, {{"ffn.norm.gain", gain, 18, 1}, {"ffn.norm.bias", bias, 18, 0}});
  check_parameters<rms_norm>(1, {{"ffn.norm.gain", gain, 18, 1}});
  check_parameters<unit_offset_rms_norm>(1, {{"ffn.norm.gain", gain, 18, 0}});
  check_parameters<scale_norm>(1, {{"ffn.norm.scale", number, 1, std::sqrt(18.0)}});
  check_parameters<fix_norm>(1, {});
  check_parameters<no_norm>(1, {});
  check_parameters<dyt>(
      1,
      {{"ffn.norm.gain", gain, 18, 1}, {"ffn.norm.bias", bias, 18, 0}, {"ffn.norm.alpha", number, 1, 0.5}});
  check_parameters<derf>(1, {{"ffn.norm.gain", gain, 18, 1},
                             {"ffn.norm.bias", bias, 18, 0},
                             {"ffn.norm.alpha", number, 1, 0.5},
                             {"ffn.norm.shift", number, 1, 0}});
}

TEST_CASE("norm: heads share the parameters of one head") {
  const auto gain = role::norm_gain, bias = role::norm_bias, number = role::scalar;
  check_parameters<layer_norm>(3, {{"ffn.norm.gain", gain, 6, 1}, {"ffn.norm.bias", bias, 6, 0}});
  check_parameters<rms_norm>(3, {{"ffn.norm.gain", gain, 6, 1}});
  check_parameters<scale_norm>(3, {{"ffn.norm.scale", number, 1, std::sqrt(6.0)}});
  check_parameters<fix_norm>(3, {});
  check_parameters<dyt>(
      3, {{"ffn.norm.gain", gain, 6, 1}, {"ffn.norm.bias", bias, 6, 0}, {"ffn.norm.alpha", number, 1, 0.5}});
}

TEST_CASE("norm: two rows of cosine_norm have the logit 10 cos at the start") {
  graph g{};
  cosine_norm::apply(stream_input(g, 18, axis::target), "q", 3);
  const double length = g.parameters[0].start, head = 6;
  CHECK(length * length / std::sqrt(head) == doctest::Approx(10).epsilon(1e-14));
}

TEST_CASE("norm: epsilons") {
  graph g{};
  const expr x = stream_input(g, 6, axis::source);
  CHECK(layer_norm::apply(x, "a").n().alpha == 1e-5);
  CHECK(rms_norm::apply(x, "b").n().alpha == 1e-5);
  CHECK(unit_offset_rms_norm::apply(x, "c").n().alpha == 1e-6);
  CHECK(scale_norm::apply(x, "d").n().alpha == 1e-10);
  CHECK(fix_norm::apply(x, "e").n().alpha == 1e-10);
}
