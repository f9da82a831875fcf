#include <formwork/model/check_gradient.hpp>

#include <doctest/doctest.h>

#include <formwork/model/layers.hpp>

#include "../../support/gradient.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 6, .d_ff = 7, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using activation = gelu;
};
struct tiny_post : tiny {
  using placement = post_norm;
};
struct tiny_learned : tiny {
  using position = learned<9>;
};
// Nothing in relu's way but its kink; no test number comes near it.
struct tiny_relu : tiny_post {
  using activation = relu;
};

const dropout_rates everywhere{.embedding = 0.3, .attention = 0.2, .activation = 0.4, .residual = 0.1};

/// y = x^2 with the derivative of x^2 / 2: what a forgotten factor looks like.
struct half_square_op {
  static constexpr label name = "half_square";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b1}; }
  template <class Call>
  static void forward(const Call& c) {
    cpu::map(c.backend, c.out, [](auto x) { return x * x; }, c.in[0]);
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::map(c.backend, c.d_in[0], [](auto dy, auto x) { return dy * x; }, c.d_out, c.in[0]);
  }
};
/// y = x + 1e-5 x^2 with the gradient of y = x: a small mistake.
struct small_mistake_op {
  static constexpr label name = "small_mistake";
  static constexpr unsigned passes(const node&) { return 0b1; }
  template <class Call>
  static void forward(const Call& c) {
    cpu::map(c.backend, c.out, [](auto x) { return x + decltype(x)(1e-5) * x * x; }, c.in[0]);
  }
  template <class Call>
  static void backward(const Call&) {}
};
struct faulty : dialect {
  using ops = dialect::ops::extend<half_square_op, small_mistake_op>;
};
template <class Op>
struct faulty_equation {
  static constexpr expr y(expr x) {
    return push(*x.g, {.op = &record_of<Op>, .in = {x.id, -1, -1, -1}, .width = x.width(), .rows = x.rows()});
  }
};

}  // namespace

TEST_CASE_TEMPLATE("check_gradient: the layers of a model pass for every placement", C, tiny, tiny_post,
                   tiny_relu) {
  CHECK(gradients_pass<encoder_layer<C>>() == 17);
  CHECK(gradients_pass<decoder_layer<C>>() == 28);
  CHECK(gradients_pass<final_layer<C, axis::target>>() == (C::placement::final_norm ? 3 : 1));
}

TEST_CASE("check_gradient: embeddings with a fixed and a learned position code pass") {
  CHECK(gradients_pass<embedding_layer<tiny, axis::source>>() == 1);
  CHECK(gradients_pass<embedding_layer<tiny, axis::target>>() == 1);
  CHECK(gradients_pass<embedding_layer<tiny_learned, axis::target>>() == 2);
}

TEST_CASE("check_gradient: dropout in all places keeps its mask in the backward pass") {
  gradients_pass<encoder_layer<tiny>>({}, everywhere);
  gradients_pass<decoder_layer<tiny_post>>({}, everywhere);
  gradients_pass<embedding_layer<tiny, axis::source>>({}, everywhere);
}

TEST_CASE("check_gradient: one row, sequences of prime length, empty sequences") {
  gradients_pass<decoder_layer<tiny>>({.source = {1}, .target = {1}});
  gradients_pass<decoder_layer<tiny_post>>({.source = {17, 0, 2}, .target = {3, 19, 0}});
  gradients_pass<encoder_layer<tiny>>({.source = {0, 23}, .target = {}});
}

TEST_CASE("check_gradient: a wrong backward pass is found, be the mistake large or small") {
  for (const bool large : {true, false}) {
    const auto checks = large
                            ? check_gradient<equation_layer<faulty_equation<half_square_op>, 5>, faulty>()
                            : check_gradient<equation_layer<faulty_equation<small_mistake_op>, 5>, faulty>();
    REQUIRE(checks.size() == 1);
    CHECK_FALSE(checks[0].passed());
    CHECK(checks[0].name == "input 0");
  }
}

TEST_CASE("check_gradient: a batch on which nothing would be checked is an error") {
  for (const check_lengths& lengths :
       {check_lengths{{}, {}}, check_lengths{{0, 0}, {2, 3}}, check_lengths{{-1, 3}, {2, 3}}})
    CHECK_THROWS_AS(check_gradient<encoder_layer<tiny>>(lengths), error);
}
