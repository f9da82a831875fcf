#include <formwork/metric/chrf.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace formwork;

namespace {

using lines = std::vector<std::string>;

double score(const std::string& hypothesis, const lines& references, const chrf_options& options = {}) {
  return sentence_chrf(hypothesis, references, options).score;
}

}  // namespace

TEST_CASE("chrf: a pair worked out by hand") {
  // Order 1: precision 1, recall 2/3; order 2: 1 and 1/2. Mean recall 7/12; F2 = 5 P R / (4 P + R) = 7/11.
  CHECK(score("ab", {"abc"}, {.character_order = 2}) == doctest::Approx(700.0 / 11).epsilon(1e-14));
  // F1 = 2 P R / (P + R) = 14/19.
  CHECK(score("ab", {"abc"}, {.character_order = 2, .beta = 1}) ==
        doctest::Approx(1400.0 / 19).epsilon(1e-14));
}

TEST_CASE("chrf: orders longer than the text are left out, or count as misses with eps smoothing") {
  CHECK(score("a", {"a"}) == doctest::Approx(100));
  CHECK(score("a", {"a"}, {.eps_smoothing = true}) == doctest::Approx(100.0 / 6));
}

TEST_CASE("chrf: without a match the score is 0") {
  CHECK(score("abcdefg", {"hijklmnop"}) == 0);
  CHECK(score("", {"a"}) == 0);
  CHECK(score("a", {""}) == 0);
  CHECK(score("", {""}) == 0);
}

TEST_CASE("chrf: white space counts only where asked for") {
  CHECK(score("a b\xC2\xA0"
              "c",
              {"abc"}) == doctest::Approx(100));
  CHECK(score("a b c", {"abc"}, {.whitespace = true}) < 60);
}

TEST_CASE("chrf: characters are code points") {
  CHECK(score("\xC3\xA4", {"\xC3\xB6"}) == 0);  // the first bytes are equal
}

TEST_CASE("chrf++: one punctuation mark is set apart from each word, the last one first") {
  const auto words = [](std::string_view text) {
    std::string joined;
    for (const auto word : detail::chrf_words(text)) joined += std::string(word) + " ";
    return joined;
  };
  CHECK(words("(hi) hi! \"hi .. , \xC3\xA4.") == "(hi ) hi ! \" hi . . , \xC3\xA4 . ");
}

TEST_CASE("chrf++: words count beside characters") {
  const auto result = sentence_chrf("a b c", lines{"a x c"}, {.character_order = 1, .word_order = 2});
  REQUIRE(result.statistics.orders.size() == 3);
  CHECK(result.statistics.orders[1].matches == 2);
  CHECK(result.statistics.orders[2].hypothesis == 2);
  CHECK(result.statistics.orders[2].matches == 0);
  // Precision and recall: 2/3, 2/3, 0; both means 4/9.
  CHECK(result.score == doctest::Approx(400.0 / 9).epsilon(1e-14));
}

TEST_CASE("chrf: of several references the best one counts") {
  CHECK(score("abc", {"xyz", "abc", "abd"}) == doctest::Approx(100));
}

TEST_CASE("chrf: statistics of parts add up to those of the corpus") {
  const lines hypotheses{"abc", ""}, references{"abd", "x"};
  chrf_statistics sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<std::string_view> one{references[i]};
    sum += segment_statistics(hypotheses[i], one, chrf_options{});
  }
  const chrf_score whole = corpus_chrf(hypotheses, {references});
  CHECK(chrf(sum).score == whole.score);
  CHECK(whole.score > 0);
  CHECK(sum.orders[0].reference == 4);
}

TEST_CASE("chrf: lower-casing") {
  CHECK(score("\xC3\x84"
              "B",
              {"\xC3\xA4"
               "b"},
              {.lowercase = true}) == doctest::Approx(100));
}

TEST_CASE("chrf: name and signature are sacrebleu's") {
  const chrf_options options{.word_order = 2};
  CHECK(signature(options) == "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|" + metric_version());
  CHECK(signature({.lowercase = true, .whitespace = true, .eps_smoothing = true}, 2) ==
        "nrefs:2|case:lc|eff:no|nc:6|nw:0|space:yes|" + metric_version());
  const auto result = sentence_chrf("abc", lines{"abc"}, options);
  CHECK(result_line(result, options) == "chrF2++ = 100.00");
  CHECK(result_line(result, {.beta = 3}, "nrefs:1", 1) == "chrF3|nrefs:1 = 100.0");
}

TEST_CASE("chrf: wrong options are errors") {
  CHECK_THROWS_WITH_AS(
      score("a", {"a"}, {.character_order = 0}),
      "chrF: character_order 0, word_order 0, beta 2, expected 1 to 1000, 0 to 1000 and at least 1", error);
  CHECK_THROWS_AS(score("a", {"a"}, {.word_order = -1}), error);
  CHECK_THROWS_AS(score("a", {"a"}, {.beta = 0}), error);
  CHECK_THROWS_AS(score("a", {"a"}, {.character_order = 1001}), error);
  CHECK_THROWS_AS(result_line(chrf_score{}, {.word_order = -1}), error);
}

TEST_CASE("chrf: statistics of other orders are an error, none at all score 0") {
  CHECK_THROWS_WITH_AS(chrf({.orders = {{1, 1, 1}}}, {.eps_smoothing = true}),
                       "chrF: the statistics have 1 orders, expected 6", error);
  CHECK(chrf({}).score == 0);
}
