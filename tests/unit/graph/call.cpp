#include <formwork/graph/call.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

constexpr dropout_rates rates{.embedding = 0.1, .attention = 0.2, .activation = 0.3, .residual = 0.4};

}  // namespace

static_assert(rates.at(dropout_place::embedding) == 0.1 && rates.at(dropout_place::attention) == 0.2);
static_assert(rates.at(dropout_place::activation) == 0.3 && rates.at(dropout_place::residual) == 0.4);
static_assert(rates.at(dropout_place::none) == 0 && dropout_rates{}.at(dropout_place::residual) == 0);
static_assert(dropout_rates::usual(0.3).residual == 0.3 && dropout_rates::usual(0.3).embedding == 0.3 &&
              dropout_rates::usual(0.3).attention == 0 && dropout_rates::usual(0.3).activation == 0);

TEST_CASE("call: dropout sites, factors of a layer and the rows to count positions in") {
  int backend = 0;
  const index_t whole[] = {0, 2, 9}, single[] = {0, 1, 2, 3};
  pass_state<float> pass{
      .rows = {{}, {whole, 2}}, .dropout = rates, .first_site = 96, .place = {stack_kind::decoder, 2, 4, 6}};
  const node scaled{.rows = axis::target,
                    .alpha_of_layer = [](const layer_place& p) { return double(10 * p.layer + p.layers()); },
                    .dropout = dropout_place::activation};
  const node fixed{.rows = axis::source, .alpha = 0.5};
  const call<float, int> target{.backend = backend, .n = scaled, .pass = pass, .index = 7},
      source{.backend = backend, .n = fixed, .pass = pass};
  CHECK((target.dropout_rate() == 0.3 && source.dropout_rate() == 0));
  CHECK(target.dropout_site() == 103);
  CHECK((target.alpha() == 26 && source.alpha() == 0.5));
  CHECK((target.position_rows().rows() == 9 && target.first_position() == 0 && !target.decoding()));
  const decode_state<float> step{.position = 4, .hypotheses = {single, 3}};
  pass.decode = &step;
  CHECK((target.decoding() && !source.decoding()));
  CHECK((target.position_rows().rows() == 3 && target.first_position() == 4));
  CHECK((source.first_position() == 0));
}
