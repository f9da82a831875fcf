#include <formwork/policy/norm_placement/mix_norm.hpp>

#include "../../support/placement_reference.hpp"

#include <type_traits>

using namespace formwork;
using formwork_test::placement_config;
using formwork_test::placement_reference;

TEST_CASE("mix_norm: a quarter of the layers, rounded up, is the lower section") {
  CHECK(mix_norm::lower_layers(12) == 3);
  CHECK(mix_norm::lower_layers(6) == 2);
  CHECK(mix_norm::lower_layers(1) == 1);
  CHECK(detail::lower_layers<mix_norm>(24) == 6);
  CHECK(detail::lower_layers<pre_norm>(24) == 24);
}

TEST_CASE(
    "hybrid_norm: attention reads no norm, the feed-forward block's skip connection starts behind one") {
  placement_reference<hybrid_norm> r(formwork_test::encoder_place(1, 6, 6));
  r.expect_each([&](int i, const std::string& prefix, const auto& x) {
    if (i < 2) return x + r.f(i, x);
    const auto v = r.norm(prefix + "norm", x);
    return v + r.f(i, v);
  });
}

TEST_CASE("hybrid_norm_star: the first layer is pre-norm, the others are hybrid_norm's") {
  placement_reference<hybrid_norm_star::lower> r(formwork_test::encoder_place(0, 6, 6));
  r.expect_each([&](int i, const std::string& prefix, const auto& x) {
    return x + r.f(i, r.norm(prefix + "norm", x));
  });
  static_assert(std::is_same_v<hybrid_norm_star::upper, hybrid_norm>);
  CHECK(detail::lower_layers<hybrid_norm_star>(12) == 1);
  CHECK(detail::lower_layers<hybrid_norm_star>(1) == 1);
}

TEST_CASE("hybrid_norm: output and down matrices start 1 / sqrt(2 L) times as large") {
  parameter_info p{.stack = stack_kind::decoder, .layer = 0, .encoder_layers = 3, .decoder_layers = 8};
  for (const role r : {role::output, role::cross_output, role::down}) {
    p.role = r;
    CHECK(detail::gain_of<hybrid_norm>(p) == 0.25);
    CHECK(detail::gain_of<hybrid_norm_star>(p) == 0.25);
  }
  for (const role r : {role::query, role::value, role::up, role::embedding}) {
    p.role = r;
    CHECK(detail::gain_of<hybrid_norm>(p) == 1);
  }
}

TEST_CASE(
    "hybrid_norm: each head's queries, keys and values are normalised in both attentions of both kinds") {
  for (const graph& g : {decoder_layer<placement_config<hybrid_norm>>::graph,
                         decoder_layer<placement_config<hybrid_norm_star::lower>>::graph}) {
    int norms = 0;
    for (int i = 0; i < g.count; ++i)
      if (g[i].op == &record_of<attention_op>)
        for (int k = 0; k < 3; ++k) {
          const node& n = g[g[i].in[k]];
          CHECK((n.op == &record_of<layer_norm_op> && n.heads == 2));
          CHECK(g.parameters[n.parameter[0]].rows == 3);
          norms += g[n.in[0]].op == &record_of<linear_op>;
        }
    CHECK(norms == 6);
  }
}
