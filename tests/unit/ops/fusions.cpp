#include <formwork/ops/fusions.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 6, .d_ff = 7, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};
struct tiny_post : tiny {
  using placement = post_norm;
  using activation = gelu;
};
struct tiny_gated : tiny {
  using activation = swiglu;
};
struct unfused : dialect {
  static constexpr std::array<fusion, 0> fusions{};
};

double difference(const double* a, const double* b, index_t n) {
  double worst = 0;
  for (index_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// The same layer as written and fused, with equal parameters: results and gradients agree up to rounding.
template <class Layer>
void compare(const dropout_rates& dropout) {
  const std::vector<index_t> source{3, 1}, target{2, 4};
  layer_run<Layer> fused(source, target);
  layer_run<Layer, unfused> plain(source, target);
  REQUIRE(fused.parameters().size() == plain.parameters().size());
  const auto run = [&](auto& r) {
    r.pass.dropout = dropout;
    formwork_test::fill_normal(r.parameters());
    formwork_test::fill_normal(r.input(0), 2);
    if (r.table.memory >= 0) formwork_test::fill_normal(r.memory(), 3);
    r.forward();
  };
  run(fused), run(plain);
  const index_t n = plain.output(0).rows * plain.output(0).width;
  CHECK(difference(fused.output(0).data, plain.output(0).data, n) < 1e-13);
  formwork_test::fill_normal(fused.gradient(0), 4);
  formwork_test::fill_normal(plain.gradient(0), 4);
  fused.backward(), plain.backward();
  CHECK(difference(fused.gradient(0).data, plain.gradient(0).data, n) < 1e-12);
  CHECK(difference(fused.parameters().gradients(), plain.parameters().gradients(),
                   plain.parameters().size()) < 1e-12);
  if (plain.table.memory >= 0) CHECK(difference(fused.d_memory().data, plain.d_memory().data, 4 * 6) < 1e-12);
}

}  // namespace

TEST_CASE("fusions: a fused layer computes what is written") {
  compare<encoder_layer<tiny>>({});
  compare<encoder_layer<tiny_post>>({});
  compare<decoder_layer<tiny>>({});
  compare<decoder_layer<tiny_post>>({});
  compare<encoder_layer<tiny_gated>>({});
  compare<decoder_layer<tiny_gated>>({});
}

TEST_CASE("fusions: query, key and value become one product, keys and values of the memory another") {
  constexpr graph encoder = fuse(encoder_layer<tiny>::graph, standard_fusions),
                  decoder = fuse(decoder_layer<tiny>::graph, standard_fusions);
  const auto products = [](const graph& g, int parts) {
    int n = 0;
    for (int i = 0; i < g.count; ++i) n += g[i].op == &record_of<linear_op> && g[i].parts == parts;
    return n;
  };
  CHECK(products(encoder, 3) == 1);
  CHECK(products(encoder, 1) == 3);
  CHECK(products(decoder, 3) == 1);
  CHECK(products(decoder, 2) == 1);
  for (const graph* g : {&encoder, &decoder})
    for (int i = 0; i < g->count; ++i) {
      CHECK((*g)[i].op != &record_of<add_op>);
      CHECK((*g)[i].op != &record_of<dropout_op>);
      CHECK((*g)[i].op != &record_of<elementwise_op<relu>>);
    }
}
