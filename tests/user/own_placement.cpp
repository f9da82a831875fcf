// Placements in a user's own file: one of five lines, one with two streams.
#include <doctest/doctest.h>

#include <formwork/model/encoder_decoder.hpp>

#include "../support/user_model.hpp"

namespace mine {

/// x + N(f(N(x))): a norm before and behind each branch.
struct sandwich {
  static constexpr formwork::label name = "sandwich";
  static constexpr bool final_norm = true;
  static constexpr formwork::expr block(formwork::expr x, auto f, auto norm) { return x + norm(f(norm(x))); }
};

/// Two residual streams, one normalised after each sub-layer and one never (Xie et al. 2023, ResiDual): the
/// branch reads the first; the end is first + N(second).
struct two_residuals {
  static constexpr formwork::label name = "two_residuals";
  static constexpr bool final_norm = true;
  static constexpr int streams = 2;
  static constexpr std::array<formwork::expr, 2> layer(std::array<formwork::expr, 2> s, auto norm,
                                                       auto... f) {
    const auto step = [&](auto branch, auto own) {
      const formwork::expr y = branch(s[0]);
      s = {own(s[0] + y), s[1] + y};
    };
    (step(f, norm), ...);
    return s;
  }
  static constexpr formwork::expr merge(std::array<formwork::expr, 2> s, auto) { return s[0] + s[1]; }
};

template <class Placement>
struct model : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 2, .decoder_layers = 2};
  using placement = Placement;
};

template <class Placement>
struct smooth : model<Placement> {
  using activation = formwork::gelu;
};

}  // namespace mine

using namespace formwork;

TEST_CASE_TEMPLATE("own placement: the gradients of its layers pass", P, mine::sandwich,
                   mine::two_residuals) {
  using C = mine::smooth<P>;
  CHECK(formwork_test::gradients_pass<encoder_layer<C>>() > 12);
  CHECK(formwork_test::gradients_pass<decoder_layer<C>>(
            {}, {.attention = 0.2, .activation = 0.2, .residual = 0.2}) > 20);
  CHECK(formwork_test::gradients_pass<final_layer<C, axis::target>>() >= 3);
}

TEST_CASE_TEMPLATE("own placement: a model with it learns and translates", P, mine::sandwich,
                   mine::two_residuals) {
  formwork_test::learns_by_heart<mine::model<P>>();
}

TEST_CASE("own placement: each norm of an equation has parameters of its own, the same norm twice is one") {
  const graph& g = encoder_layer<mine::model<mine::sandwich>>::graph;
  int norms = 0;
  for (int i = 0; i < g.parameter_count; ++i) norms += g.parameters[i].role == role::norm_gain;
  CHECK(norms == 4);
}

TEST_CASE("own placement: the second stream carries the sum of all branches") {
  using C = mine::model<mine::two_residuals>;
  layer_run<encoder_layer<C>> run(std::vector<index_t>{3}, {});
  for (index_t i = 0; i < 48; ++i) run.input(0).data[i] = run.input(1).data[i] = double(i % 7) - 3;
  for (index_t i = 0; i < 16; ++i) run.parameters().value("ffn.down.bias").data[i] = double(i);
  run.forward();  // all matrices are zero: the only branch with a value is the bias
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 16; ++c) CHECK(run.output(1).row(r)[c] == run.input(1).row(r)[c] + double(c));
}
