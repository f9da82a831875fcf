#include <formwork/data/embedded_corpus.hpp>

#include <formwork/data/read_corpus.hpp>
#include <formwork/data/token_counts.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "../../support/scratch_file.hpp"

using namespace formwork;

TEST_CASE("embedded corpus: sizes are as asked and all sentences are different") {
  const embedded_corpus corpus({.train = 3000, .valid = 100, .test = 120});
  CHECK(corpus.train.size() == 3000);
  CHECK(corpus.valid.size() == 100);
  CHECK(corpus.test.size() == 120);
  std::set<std::string> german;
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test}) {
    for (const sentence_pair& p : *part) german.insert(p.source);
  }
  CHECK(german.size() == 3220);
}

TEST_CASE("embedded corpus: the part of a sentence depends on its text alone") {
  const embedded_corpus a({.seed = 1, .train = 2000, .valid = 50, .test = 50}),
      b({.seed = 2, .train = 10, .valid = 300, .test = 300});
  for (const sentence_pair& p : a.train) CHECK(part_of(p.source) == corpus_part::train);
  for (const sentence_pair& p : a.valid) CHECK(part_of(p.source) == corpus_part::valid);
  for (const sentence_pair& p : b.test) CHECK(part_of(p.source) == corpus_part::test);
  CHECK(part_of("der Hut war schwarz .") == part_of(std::string("der Hut war schwarz .")));
}

TEST_CASE("embedded corpus: a larger corpus continues a smaller one") {
  const embedded_corpus small({.train = 100, .valid = 5, .test = 5}),
      large({.train = 200, .valid = 10, .test = 10});
  CHECK(std::equal(small.train.begin(), small.train.end(), large.train.begin()));
  CHECK(std::equal(small.test.begin(), small.test.end(), large.test.begin()));
  CHECK(embedded_corpus({.seed = 9, .train = 100, .valid = 0, .test = 0}).train != small.train);
}

TEST_CASE("embedded corpus: most held-out words occur in training") {
  const embedded_corpus corpus({.train = 20000, .valid = 0, .test = 500});
  token_counts german;
  for (const sentence_pair& p : corpus.train) german.add_line(p.source);
  index_t tokens = 0, unseen = 0;
  for (const sentence_pair& p : corpus.test) {
    for_each_token(p.source, [&](std::string_view token) {
      ++tokens;
      unseen += german.count(token) == 0;
    });
  }
  CHECK(unseen * 50 < tokens);
}

TEST_CASE("embedded corpus: the written files read back as the same corpus") {
  const embedded_corpus corpus({.train = 300, .valid = 20, .test = 20});
  const std::string folder = formwork_test::scratch_path("embedded");
  corpus.write(folder);
  token_counts counts;
  for (const char* name : {"/train.de", "/train.en"}) counts.add_file(folder + name);
  const vocabulary table = counts.build();
  const auto encode = [&](std::string_view line, std::vector<token_t>& ids) { table.encode(line, ids); };
  const parallel_corpus files =
      read_parallel_corpus(folder + "/train.de", folder + "/train.en", encode, encode);
  const parallel_corpus memory = encode_parallel_corpus(corpus.train, encode, encode);
  CHECK(files.source == memory.source);
  CHECK(files.target == memory.target);
  CHECK(table.decode(files.target_sentence(299)) == corpus.train[299].target);
  CHECK(read_lines(folder + "/test.de").size() == 20);
  CHECK(read_lines(folder + "/valid.en")[3] == corpus.valid[3].target);
  std::filesystem::remove_all(folder);
}

TEST_CASE("embedded corpus: impossible requests are errors") {
  CHECK_THROWS_AS(embedded_corpus({.train = -1}), error);
  const formwork_test::scratch_file file("file", "");
  CHECK_THROWS_WITH_AS(embedded_corpus({.train = 1, .valid = 0, .test = 0}).write(file.path + "/folder"),
                       doctest::Contains("cannot be made"), error);
}
