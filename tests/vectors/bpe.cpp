// Byte-pair encoding against subword-nmt's own test data and against the Multi30k corpus, learnt and applied.
#include "../support/shared.hpp"

#include <formwork/data/bpe.hpp>
#include <formwork/data/bpe_learn.hpp>
#include <formwork/data/lines.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace formwork;
using formwork_test::shared_path;

namespace {

const std::string small = shared_path("data/vectors-subword-nmt/");
const std::string multi30k = shared_path("data/multi30k/");

index_t differences(bpe& encoder, const std::string& plain_file, const std::string& segmented_file) {
  const auto plain = read_lines(plain_file), segmented = read_lines(segmented_file);
  REQUIRE(plain.size() == segmented.size());
  REQUIRE(!plain.empty());
  index_t count = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    count += encoder.apply(plain[i]) != segmented[i];
    const bool runs = plain[i].find("  ") != std::string::npos;  // of spaces, which are not kept
    count += !runs && remove_bpe(segmented[i]) != plain[i];
  }
  return count;
}

}  // namespace

TEST_CASE("bpe vectors: unit cases are equal to the last byte") {
  int cases = 0;
  for (const std::string& line : read_lines(small + "unit-cases.jsonl")) {
    const auto test = nlohmann::json::parse(line);
    CAPTURE(line);
    const std::string kind = test["kind"];
    bpe_options options;
    if (kind == "separator _@") options.separator = "_@";
    if (test.contains("glossaries")) options.glossaries = test["glossaries"].get<std::vector<std::string>>();
    bpe encoder(read_bpe_codes(small + "bpe.ref", kind == "first 200 merges only" ? 200 : -1), options);
    CHECK(encoder.apply(test["text"].get<std::string>()) == test["expected"].get<std::string>());
    ++cases;
  }
  CHECK(cases == 10);
}

TEST_CASE("bpe vectors: subword-nmt's corpus is learnt and segmented as published") {
  const bpe_codes codes = read_bpe_codes(small + "bpe.ref");
  CHECK(codes.merges.size() == 1000);
  bpe encoder(codes);
  CHECK(differences(encoder, small + "corpus.en.gz", small + "corpus.bpe.ref.en.gz") == 0);

  bpe_learner learner;
  for (const auto& line : read_lines(small + "corpus.en.gz")) learner.add(line);
  CHECK(learner.learn(1000).merges == codes.merges);
}

TEST_CASE("bpe vectors: 10,000 joint merges on Multi30k are learnt as published") {
  bpe_learner learner;
  for (const std::string language : {"en", "de"}) {
    for (const auto& line : read_lines(multi30k + "tok/train.lc.norm.tok." + language + ".gz"))
      learner.add(line);
  }
  const bpe_codes expected = read_bpe_codes(multi30k + "bpe10k/codes.gz");
  CHECK(expected.merges.size() == 10000);
  CHECK(learner.learn(10000).merges == expected.merges);
}

TEST_CASE("bpe vectors: every line of Multi30k is segmented and joined again as published") {
  bpe encoder(read_bpe_codes(multi30k + "bpe10k/codes.gz"));
  for (const std::string language : {"en.gz", "de.gz"}) {
    CHECK(differences(encoder, multi30k + "tok/train.lc.norm.tok." + language,
                      multi30k + "bpe10k/train." + language) == 0);
    CHECK(differences(encoder, multi30k + "tok/val.lc.norm.tok." + language,
                      multi30k + "bpe10k/valid." + language) == 0);
    CHECK(differences(encoder, multi30k + "tok/test_2016_flickr.lc.norm.tok." + language,
                      multi30k + "bpe10k/test.2016." + language) == 0);
  }
}
