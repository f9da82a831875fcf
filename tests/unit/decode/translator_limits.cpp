#include <formwork/decode/translator.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "../../support/small_model.hpp"

using namespace formwork;

namespace {

using sentence = std::vector<token_t>;

struct three_tables : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};
struct with_table : three_tables {
  using position = learned<9>;
};
using three_tables_model = encoder_decoder<three_tables>;

three_tables_model make_model() { return {{11, 11}, xavier_uniform{}, 1}; }

/// A number of the named parameter.
float& number(three_tables_model& model, std::string_view name, index_t i) {
  auto& store = model.parameters();
  for (std::size_t p = 0; p < store.entries().size(); ++p)
    if (store.entries()[p].name == name) return store.value(p).data[i];
  FAIL("no such parameter");
  return store.values()[0];
}

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
const sentence simple{3, 4, 2}, other{5, 6, 7, 2};

}  // namespace

TEST_CASE("translator: more sentences than one batch may cache give what each gives alone") {
  auto model = formwork_test::small_model(3);
  cpu_backend backend(2);
  std::vector<sentence> sources;
  for (int i = 0; i < 90; ++i) {
    sources.emplace_back();
    for (int t = 0; t <= i % 4; ++t) sources.back().push_back(3 + (i * 5 + t * t) % 8);
    sources.back().push_back(end_token);
  }
  const decode_options options{.beam = 8, .nbest = 3, .max_length_extra = 30, .min_length = 4};
  REQUIRE(index_t(sources.size()) * options.beam * 33 > batch_budget::cache_rows);
  translator search(model, backend, options);
  const auto together = search.translate(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto alone = search.translate({sources[i]})[0];
    REQUIRE(alone.size() == together[i].size());
    for (std::size_t k = 0; k < alone.size(); ++k)
      CHECK((alone[k].tokens == together[i][k].tokens && alone[k].score == together[i][k].score));
  }
}

TEST_CASE("translator: a position table bounds sources, forced beginnings and translations") {
  encoder_decoder<with_table> model({11, 11}, xavier_uniform{}, 1);
  cpu_backend backend(1);
  translator search(model, backend, {.beam = 2, .min_length = 100});
  const sentence full{3, 4, 5, 6, 7, 8, 9, 10, 2}, too_long{3, 3, 4, 5, 6, 7, 8, 9, 10, 2};
  const auto at_limit = search.translate({simple, full});
  for (const auto& best : at_limit) {
    CHECK(best[0].tokens.size() == 8);  // and the begin mark
    CHECK(best[0].truncated);
  }
  CHECK_THROWS_WITH_AS(search.translate({simple, too_long}),
                       "translator: sentence 2 has 10 tokens, the model's 9 positions allow 9", error);
  CHECK_THROWS_WITH_AS(search.translate({simple}, {sentence(9, 4)}),
                       "translator: sentence 1 has 9 forced tokens, the model's 9 positions allow 8", error);
  CHECK(search.translate({simple}, {sentence(8, 4)})[0][0].tokens == sentence(8, 4));
  CHECK(search.translate({full})[0][0].tokens == at_limit[1][0].tokens);
}

TEST_CASE("translator: a source longer than the option allows is an error that names it") {
  auto model = formwork_test::small_model(3);
  cpu_backend backend(1);
  translator search(model, backend, {.beam = 1, .max_length_extra = 1, .max_source_length = 3});
  const sentence longest{3, 4, 5, 2}, too_long{3, 4, 5, 6, 2};
  CHECK(search.longest_source() == 3);
  CHECK(search.translate({longest, {3, 2}}).size() == 2);
  CHECK_THROWS_WITH_AS(search.translate({longest, too_long}),
                       "translator: sentence 2 has 4 tokens before its end, max_source_length is 3", error);
  translator any(model, backend, {.beam = 1, .max_length_extra = 1, .max_source_length = 0});
  CHECK(any.translate({too_long}).size() == 1);
  CHECK(any.longest_source() > 1'000'000'000);
  CHECK(decode_options{}.max_source_length == 1000);

  encoder_decoder<with_table> table({11, 11}, xavier_uniform{}, 1);
  CHECK(translator(table, backend).longest_source() == 8);
  CHECK(translator(table, backend, {.max_source_length = 5}).longest_source() == 5);
  CHECK(translator(table, backend, {.max_source_length = 0, .source_end = false}).longest_source() == 9);
}

TEST_CASE("translator: a source needs its end mark, unless the model was trained without") {
  three_tables_model model = make_model();
  cpu_backend backend(1);
  translator strict(model, backend, {.beam = 2});
  CHECK_THROWS_WITH_AS(strict.translate({simple, {3, 4}}),
                       "translator: sentence 2 does not end with the end mark, token 2", error);
  CHECK(strict.translate({simple, {}}).size() == 2);  // there is nothing to translate in an empty one
  translator free(
      model, backend,
      {.beam = 2, .max_length_factor = 3, .max_length_extra = 0, .min_length = 100, .source_end = false});
  for (const auto& best : free.translate({simple, {3, 4}})) CHECK(best[0].tokens.size() == 6);
}

TEST_CASE(
    "translator: forced beginnings without a sentence and a vocabulary without an end mark are errors") {
  three_tables_model model = make_model(), tiny({11, 2}, xavier_uniform{}, 1);
  cpu_backend backend(1);
  CHECK_THROWS_WITH_AS(translator(model, backend).translate({simple}, {{}, {3}}),
                       "translator: 2 forced beginnings for 1 sentences", error);
  CHECK_THROWS_WITH_AS(translator(tiny, backend),
                       "translator: the target vocabulary has 2 entries, expected at least 3", error);
}

TEST_CASE("translator: a result that is not a number is an error on every path, and the next call works") {
  three_tables_model model = make_model();
  cpu_backend backend(1);
  translator search(model, backend, {.beam = 2}),
      cut(model, backend, {.max_length_factor = 0, .max_length_extra = 0}),
      sampling(model, backend, {.beam = 1, .sample = true});
  const auto before = search.translate({simple, other});
  const std::string first = "translator: sentence 1: the model's probabilities at position 1 are not numbers";
  float& bias = number(model, "head.bias", 5);
  const float old = std::exchange(bias, no_number);  // one logit of eleven
  CHECK_THROWS_WITH_AS(search.translate({simple}), first.c_str(), error);
  CHECK_THROWS_WITH_AS(search.translate({simple}, {{3}}), first.c_str(), error);
  CHECK_THROWS_WITH_AS(cut.translate({simple}), first.c_str(), error);
  CHECK_THROWS_WITH_AS(sampling.translate({simple}), first.c_str(), error);
  bias = old;
  float& embedding = number(model, "target_embedding.weight", 9 * 8);
  const float whole = std::exchange(embedding, no_number);
  CHECK_THROWS_WITH_AS(search.translate({simple, other}, {{}, {3, 9, 4}}),
                       "translator: sentence 2: the model's probabilities at position 3 are not numbers",
                       error);
  embedding = whole;
  const auto after = search.translate({simple, other});
  for (std::size_t i = 0; i < 2; ++i)
    CHECK((before[i][0].tokens == after[i][0].tokens && before[i][0].score == after[i][0].score));
}

TEST_CASE("translator: a model that never ends and a penalty that loves length stop at the maximum length") {
  three_tables_model model = make_model();
  cpu_backend backend(1);
  number(model, "head.bias", 7) = 30;
  const std::vector<sentence> sources{simple, other, {2}};
  for (const auto& [penalty, alpha] : {std::pair{length_penalty::average, 1.0},
                                       {length_penalty::average, 20.0},
                                       {length_penalty::gnmt, 20.0}}) {
    const auto found = translator(model, backend, {.beam = 3, .nbest = 3, .penalty = penalty, .alpha = alpha})
                           .translate(sources);
    CHECK(found[0][0].tokens == sentence(2 * 2 + 20, 7));
    CHECK(found[1][0].tokens == sentence(2 * 3 + 20, 7));
    CHECK(std::count_if(found.begin(), found.end(), [](const auto& best) { return best[0].truncated; }) == 2);
  }
}

TEST_CASE("translator: fewer results than asked for where the search has no more, never none") {
  three_tables_model model = make_model();
  cpu_backend backend(1);
  const auto found = translator(model, backend, {.nbest = 5, .max_length_factor = 0, .max_length_extra = 0})
                         .translate({simple});
  REQUIRE(found[0].size() == 1);
  CHECK(found[0][0].tokens.empty());
}

TEST_CASE("translator: a forced beginning that has ended already is an error") {
  auto model = formwork_test::small_model(3);
  cpu_backend backend(1);
  translator search(model, backend, {.beam = 2});
  CHECK_THROWS_WITH_AS(search.translate({{3, 2}, {4, 2}}, {{5}, {6, 2, 7}}),
                       "translator: sentence 2 has the end mark, token 2, in its forced beginning", error);
  CHECK(search.translate({{3, 2}}, {{5}})[0][0].tokens[0] == 5);
}
