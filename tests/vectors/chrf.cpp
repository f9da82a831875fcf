// chrF and chrF++ against scores that sacrebleu 2.6.0 published or computed: equal to the last bit, for chrF
// is made of divisions, products and sums only.
#include "../support/shared.hpp"

#include <formwork/data/lines.hpp>
#include <formwork/metric/chrf.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace formwork;
using formwork_test::shared_path;
using nlohmann::json;

namespace {

using lines = std::vector<std::string>;

lines read(const std::string& file) { return read_lines(shared_path("data/vectors-sacrebleu/" + file)); }

chrf_options options_of(const json& test) {
  return {.character_order = test.value("char_order", 6),
          .word_order = test.value("word_order", 0),
          .beta = test.value("beta", 2),
          .lowercase = test.value("lowercase", false),
          .whitespace = !test.value("remove_whitespace", true),
          .eps_smoothing = test.value("eps_smoothing", false)};
}

}  // namespace

TEST_CASE("chrf vectors: every published unit case has its score") {
  int cases = 0;
  for (const std::string& line : read("unit-cases.jsonl")) {
    const json test = json::parse(line);
    if (test["metric"] != "chrf") continue;
    CAPTURE(line);
    const auto hypotheses = test["hyp"].get<lines>();
    const double score = corpus_chrf(hypotheses, test["refs"].get<reference_sets>(), options_of(test)).score;
    CHECK(score == test["exact"].get<double>());
    CHECK(std::fabs(score - test["expected"].get<double>()) <= test["eps"].get<double>());
    ++cases;
  }
  CHECK(cases == 25);
}

TEST_CASE("chrf vectors: three systems of WMT17 have their scores") {
  const lines reference = read("newstest2017.ref.de.gz");
  std::map<std::string, lines> systems;
  int cases = 0;
  for (const std::string& line : read("expected.jsonl")) {
    const json test = json::parse(line);
    if (test["metric"] != "chrf") continue;
    CAPTURE(line);
    lines& system = systems[test["system"]];
    if (system.empty()) system = read(test["system"].get<std::string>() + ".gz");
    CHECK(corpus_chrf(system, {reference}, options_of(test)).score == test["score"].get<double>());
    ++cases;
  }
  CHECK(cases == 9);
}

TEST_CASE("chrf vectors: sentence scores are equal to all ten printed digits") {
  const lines reference = read("newstest2017.ref.de.gz");
  int cases = 0;
  for (const std::string system : {"LIUM-NMT.4900", "online-G.0", "PROMT-Rule-based.4735"}) {
    const lines hypotheses = read("newstest2017." + system + ".en-de.gz");
    for (const std::string& row : read("newstest2017." + system + ".en-de.sentence-scores.tsv.gz")) {
      if (row.starts_with("#")) continue;
      const std::size_t i = std::stoul(row);
      const lines references{reference[i]};
      const double plain = sentence_chrf(hypotheses[i], references).score;
      const double with_words = sentence_chrf(hypotheses[i], references, {.word_order = 2}).score;
      CHECK(row.ends_with("\t" + fixed_digits(plain, 10) + "\t" + fixed_digits(with_words, 10)));
      ++cases;
    }
  }
  CHECK(cases == 900);
}
