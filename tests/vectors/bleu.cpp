// BLEU against scores that sacrebleu 2.6.0 published or computed. Counts, lengths, precisions and tokenised
// text must be equal; a score may differ by two units in its last place, for it goes through exp and log of
// the C library.
#include "../support/shared.hpp"

#include <formwork/data/lines.hpp>
#include <formwork/metric/bleu.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace formwork;
using formwork_test::shared_path;
using nlohmann::json;

namespace {

using lines = std::vector<std::string>;

lines read(const std::string& file) { return read_lines(shared_path("data/vectors-sacrebleu/" + file)); }

bool same_score(double a, double b) {
  return std::fabs(a - b) <= 2 * std::numeric_limits<double>::epsilon() * b;
}

bleu_options options_of(const json& test) {
  bleu_options options{.tokenizer = bleu_tokenizer_named(test.value("tokenize", "13a")),
                       .smoothing = bleu_smoothing_named(test.value("smooth_method", "exp"))};
  if (test.contains("smooth_value") && !test["smooth_value"].is_null())
    options.smooth_value = test["smooth_value"];
  options.max_order = test.value("max_ngram_order", 4);
  options.lowercase = test.value("lowercase", false);
  options.effective_order = test.value("effective_order", false);
  return options;
}

bleu_score score_of(const json& test) {
  const bleu_options options = options_of(test);
  if (test["level"] == "statistics") {
    bleu_statistics statistics{.hypothesis_length = test["sys_len"], .reference_length = test["ref_len"]};
    statistics.matches = test["counts"].get<std::vector<index_t>>();
    statistics.totals = test["totals"].get<std::vector<index_t>>();
    return bleu(statistics, options);
  }
  return corpus_bleu(test["hyp"].get<lines>(), test["refs"].get<reference_sets>(), options);
}

}  // namespace

TEST_CASE("bleu vectors: every published unit case has its score") {
  int cases = 0;
  for (const std::string& line : read("unit-cases.jsonl")) {
    const json test = json::parse(line);
    if (test["metric"] != "bleu") continue;
    CAPTURE(line);
    const double score = score_of(test).score;
    CHECK(same_score(score, test["exact"]));
    CHECK(std::fabs(score - test["expected"].get<double>()) <= test["eps"].get<double>());
    ++cases;
  }
  CHECK(cases == 43);
}

TEST_CASE("bleu vectors: tokenised references are equal to the last space") {
  const lines reference = read("newstest2017.ref.de.gz");
  for (const std::string name : {"13a", "intl"}) {
    const lines expected = read("newstest2017.ref.de.tok-" + name + ".gz");
    REQUIRE(expected.size() == reference.size());
    index_t different = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      different += tokenize(strip_right(reference[i]), bleu_tokenizer_named(name)) != expected[i];
    }
    CHECK(different == 0);
  }
}

TEST_CASE("bleu vectors: three systems of WMT17 have their scores under every setting") {
  const lines reference = read("newstest2017.ref.de.gz");
  std::map<std::string, lines> systems;
  int cases = 0;
  for (const std::string& line : read("expected.jsonl")) {
    const json test = json::parse(line);
    if (test["metric"] != "bleu") continue;
    CAPTURE(line);
    lines& system = systems[test["system"]];
    if (system.empty()) system = read(test["system"].get<std::string>() + ".gz");
    const bleu_score result = corpus_bleu(system, {reference}, options_of(test));
    CHECK(same_score(result.score, test["score"]));
    ++cases;
    if (!test.contains("counts")) continue;
    CHECK(result.statistics.matches == test["counts"].get<std::vector<index_t>>());
    CHECK(result.statistics.totals == test["totals"].get<std::vector<index_t>>());
    CHECK(result.precisions == test["precisions"].get<std::vector<double>>());
    CHECK(result.statistics.hypothesis_length == test["sys_len"]);
    CHECK(result.statistics.reference_length == test["ref_len"]);
    CHECK(same_score(result.brevity_penalty, test["bp"]));
  }
  CHECK(cases == 33);
}

TEST_CASE("bleu vectors: sentence scores are equal to all ten printed digits") {
  const lines reference = read("newstest2017.ref.de.gz");
  int cases = 0;
  for (const std::string system : {"LIUM-NMT.4900", "online-G.0", "PROMT-Rule-based.4735"}) {
    const lines hypotheses = read("newstest2017." + system + ".en-de.gz");
    for (const std::string& row : read("newstest2017." + system + ".en-de.sentence-scores.tsv.gz")) {
      if (row.starts_with("#")) continue;
      const std::size_t i = std::stoul(row);
      const std::string printed =
          row.substr(row.find('\t') + 1, row.find('\t', row.find('\t') + 1) - row.find('\t') - 1);
      CHECK(fixed_digits(sentence_bleu(hypotheses[i], lines{reference[i]}).score, 10) == printed);
      ++cases;
    }
  }
  CHECK(cases == 900);
}
