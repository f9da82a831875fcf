#include <formwork/metric/bleu.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace formwork;

namespace {

using lines = std::vector<std::string>;

const std::string cat_hypothesis = "the cat sat on the mat";
const lines cat_reference{"the cat is on the mat"};

double score(const std::string& hypothesis, const lines& references, const bleu_options& options = {}) {
  return sentence_bleu(hypothesis, references, options).score;
}

}  // namespace

TEST_CASE("bleu: a sentence worked out by hand") {
  const bleu_score result = sentence_bleu(cat_hypothesis, cat_reference, {});
  CHECK(result.statistics.matches == std::vector<index_t>{5, 3, 1, 0});
  CHECK(result.statistics.totals == std::vector<index_t>{6, 5, 4, 3});
  CHECK(result.precisions[3] == 100.0 / 6);  // no match among 3: half a match
  CHECK(result.score ==
        doctest::Approx(100 * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * 1 / 6, 0.25)).epsilon(1e-14));
  CHECK(result_line(result) ==
        "BLEU = 37.99 83.3/60.0/25.0/16.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
  CHECK(result_line(result, "nrefs:1", 1).starts_with("BLEU|nrefs:1 = 38.0 83.3/"));
}

TEST_CASE("bleu: smoothings of an order without a match") {
  const auto with = [](bleu_smoothing smoothing, std::optional<double> value = {}) {
    return sentence_bleu(cat_hypothesis, cat_reference, {.smoothing = smoothing, .smooth_value = value});
  };
  CHECK(with(bleu_smoothing::none).score == 0);
  CHECK(with(bleu_smoothing::floor).precisions[3] == doctest::Approx(100 * 0.1 / 3));
  CHECK(with(bleu_smoothing::floor, 0.5).precisions[3] == doctest::Approx(100 * 0.5 / 3));
  CHECK(with(bleu_smoothing::add_k).precisions[0] ==
        doctest::Approx(500.0 / 6));  // the first order is as it is
  CHECK(with(bleu_smoothing::add_k).precisions[1] == doctest::Approx(400.0 / 6));
  CHECK(with(bleu_smoothing::add_k).precisions[3] == doctest::Approx(100.0 / 4));
}

TEST_CASE("bleu: exponential smoothing halves once more for each order without a match") {
  const bleu_score result = sentence_bleu("a b c d e", lines{"a c e b d"}, {});
  CHECK(result.statistics.matches == std::vector<index_t>{5, 0, 0, 0});
  CHECK(result.precisions == std::vector<double>{100, 100.0 / (2 * 4), 100.0 / (4 * 3), 100.0 / (8 * 2)});
}

TEST_CASE("bleu: a word counts at most as often as in the reference that has it most") {
  const lines references{"the cat is on the mat", "there is a cat on the mat"};
  const bleu_score result = sentence_bleu("the the the the the the the", references, {.max_order = 1});
  CHECK(result.statistics.matches == std::vector<index_t>{2});
  CHECK(result.statistics.totals == std::vector<index_t>{7});
}

TEST_CASE("bleu: the closest reference length counts, of two the shorter one") {
  const auto length = [](const lines& references) {
    return sentence_bleu("a b c d", references).statistics.reference_length;
  };
  CHECK(length({"a b c d e f", "a b c"}) == 3);
  CHECK(length({"a b c d e", "a b c"}) == 3);
  CHECK(length({"a b c", "a b c d e"}) == 3);
  CHECK(length({"a", "a b c d e"}) == 5);
}

TEST_CASE("bleu: half the reference's length costs a factor e") {
  CHECK(score("a b c d", {"a b c d e f g h"}) == doctest::Approx(100 * std::exp(-1.0)).epsilon(1e-14));
  CHECK(score("a b c d e f g h", {"a b c d e f g h"}) == doctest::Approx(100));
}

TEST_CASE("bleu: without a match the score is 0 under every smoothing") {
  using enum bleu_smoothing;
  for (const auto smoothing : {exponential, none, floor, add_k}) {
    for (const bool effective : {false, true}) {
      const bleu_options options{.smoothing = smoothing, .effective_order = effective};
      CHECK(score("this is a cat", {"okay thanks"}, options) == 0);
      CHECK(score("", {"okay thanks"}, options) == 0);
      CHECK(score("okay", {""}, options) == 0);
      CHECK(score("", {""}, options) == 0);
    }
  }
}

TEST_CASE("bleu: a segment of one word has full marks with the effective order only") {
  CHECK(score("yes", {"yes"}, {.effective_order = true}) == doctest::Approx(100));
  CHECK(score("yes", {"yes"}, {.effective_order = false}) == 0);
  CHECK(sentence_bleu("yes", lines{"yes"}).score == doctest::Approx(100));  // the default for sentences
}

TEST_CASE("bleu: statistics of parts add up to those of the corpus") {
  const lines hypotheses{"the cat sat on the mat", "", "a b c d e"},
      references{"the cat is on the mat", "x", "a b c d f"};
  bleu_statistics sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<std::string_view> one{references[i]};
    sum += segment_statistics(hypotheses[i], one, bleu_options{});
  }
  const bleu_score whole = corpus_bleu(hypotheses, {references});
  CHECK(bleu(sum).score == whole.score);
  CHECK(sum.matches == whole.statistics.matches);
  CHECK(sum.hypothesis_length == 11);
  CHECK(sum.reference_length == 12);
}

TEST_CASE("bleu: an empty line in a set is a reference of no words") {
  const bleu_score result = corpus_bleu(lines{"a b", "c"}, {{"a b", ""}});
  CHECK(result.statistics.reference_length == 2);
  CHECK(result.statistics.matches == std::vector<index_t>{2, 1, 0, 0});
}

TEST_CASE("bleu: lower-casing comes before tokenising") {
  CHECK(score("\xC3\x84 B C D", {"\xC3\xA4 b c d"}, {.lowercase = true}) == doctest::Approx(100));
  CHECK(score("\xC3\x84 B C D", {"\xC3\xA4 b c d"}) == 0);
}

TEST_CASE("bleu: wrong options and statistics are errors") {
  CHECK_THROWS_WITH_AS(score("a", {"a"}, {.max_order = 0}), "BLEU: max_order is 0, expected 1 to 1000",
                       error);
  CHECK_THROWS_AS(score("a", {"b"}, {.smoothing = bleu_smoothing::floor, .smooth_value = -1}), error);
  CHECK_THROWS_WITH_AS(bleu({}, {}), "BLEU: the statistics have 0 orders, expected 4", error);
  CHECK_THROWS_WITH_AS(corpus_bleu(lines{"a"}, {{"a", "b"}}),
                       "BLEU: 1 hypotheses but 2 references in set 1 of 1", error);
}
