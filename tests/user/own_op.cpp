// An op in a user's own file, and the places where it may stand: a norm, a sub-layer, a model.
#include <doctest/doctest.h>

#include <formwork/model/encoder_decoder.hpp>

#include "../support/user_model.hpp"

namespace mine {

/// y = x / sqrt(1 + x^2), element by element; the derivative is (1 - y^2)^(3/2).
struct squash_op {
  static constexpr formwork::label name = "squash";
  static constexpr formwork::backward_reads reads(const formwork::node&) { return {.inputs = 0b1}; }

  template <class Call>
  static void forward(const Call& c) {
    formwork::cpu::map(
        c.backend, c.out, [](auto x) { return x / sqrt(1 + x * x); }, c.in[0]);
  }
  template <class Call>
  static void backward(const Call& c) {
    const auto slope = [](auto dy, auto x, auto dx) { return dx + dy / ((1 + x * x) * sqrt(1 + x * x)); };
    if (!c.adds[0])
      formwork::cpu::map(
          c.backend, c.d_in[0], [](auto x) { return 0 * x; }, c.d_out);
    formwork::cpu::map(c.backend, c.d_in[0], slope, c.d_out, c.in[0], c.d_in[0]);
  }
};

constexpr formwork::expr squash(formwork::expr x) {
  return push(*x.g, {.op = &formwork::record_of<squash_op>,
                     .in = {x.id, -1, -1, -1},
                     .width = x.width(),
                     .rows = x.rows()});
}

struct dialect : formwork::dialect {
  using ops = formwork::dialect::ops::extend<squash_op>;
};

/// A norm without statistics that is made of the op and a trainable part.
struct squashed {
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name) {
    return formwork::ops::linear(squash(x), x.width(), name, formwork::role::up);
  }
};

struct model : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using norm = squashed;
  using activation = formwork::gelu;
  using dialect = mine::dialect;
};

struct alone {
  static constexpr formwork::expr y(formwork::expr x) { return squash(x); }
};
struct beside {
  static constexpr formwork::expr y(formwork::expr x) { return 2.0 * x + squash(x); }
};

}  // namespace mine

using namespace formwork;
using formwork_test::equation_layer;

TEST_CASE("own op: its gradient passes, written and added") {
  CHECK(formwork_test::gradients_pass<equation_layer<mine::alone, 5>, mine::dialect>() == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<mine::beside, 13>, mine::dialect>() == 1);
}

TEST_CASE("own op: inside a norm, whole layers pass and a model learns") {
  formwork_test::gradients_pass<encoder_layer<mine::model>, mine::dialect>();
  formwork_test::gradients_pass<decoder_layer<mine::model>, mine::dialect>();
  formwork_test::learns_by_heart<mine::model>();
}
