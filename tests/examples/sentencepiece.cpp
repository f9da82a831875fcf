#include "../../examples/sentencepiece.hpp"

#include <formwork/data/read_corpus.hpp>

#include <doctest/doctest.h>

#include "../support/scratch_file.hpp"
#include "../support/shared.hpp"

using namespace formwork;
using examples::sentencepiece_model;
using formwork_test::scratch_file;

namespace {

sentencepiece_model learn(std::string_view text, const examples::sentencepiece_options& options) {
  const scratch_file file("text", text);
  return sentencepiece_model::learn({file.path}, options);
}

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "das Haus und der Garten\nein größeres Haus  am See\nder Garten am Haus\n";
  return text;
}

/// The stored ids of the first 2,000 lines of a text, checked against what this model gives.
void check_stored_ids(const std::string& model) {
  const std::string folder = formwork_test::shared_path("data/vectors-sentencepiece/");
  const auto pieces = sentencepiece_model::read(folder + model + ".model");
  const auto lines = read_lines(folder + "botchan-1-2000.txt.gz");
  const auto ids = read_lines(folder + "botchan-1-2000." + model + ".ids.gz");
  REQUIRE(lines.size() == 2000);
  REQUIRE(ids.size() == 2000);
  int different = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string joined;
    // The ids were made from the lines with their CR, which our reader takes for a part of the line's end.
    for (const token_t id : pieces.encode(lines[i] + "\r"))
      joined += (joined.empty() ? "" : " ") + std::to_string(id);
    different += joined != ids[i];
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("sentencepiece: the specials have the library's ids") {
  const auto pieces = learn(sample_text(), {.size = 60});
  CHECK(pieces.size() == 60);
  for (token_t id = 0; id < special_tokens; ++id) CHECK(pieces.piece(id) == special_entries[id]);
  CHECK_THROWS_AS(pieces.piece(60), error);
}

TEST_CASE("sentencepiece: text survives the round trip, double spaces and accents included") {
  for (const char* model : {"bpe", "unigram"}) {
    const auto pieces = learn(sample_text(), {.size = 25, .model = model});
    for (const char* line : {"das Haus", "der  Garten ", "größeres Haus", ""}) {
      CHECK(pieces.decode(pieces.encode(line)) == line);
    }
  }
}

TEST_CASE("sentencepiece: decoding stops at the end mark") {
  const auto pieces = learn(sample_text(), {.size = 60});
  std::vector<token_t> ids{begin_token};
  pieces("das Haus", ids);
  ids.push_back(end_token);
  pieces("am See", ids);
  CHECK(pieces.decode(ids) == "das Haus");
  CHECK_THROWS_AS(pieces.decode(std::vector<token_t>{60}), error);
}

TEST_CASE(
    "sentencepiece: a size that the text does not allow is an error with the largest one, or is reduced") {
  const auto attainable = learn("a b c d a b c\n", {.size = 1000, .reduce = true}).size();
  CHECK(attainable == 12);
  CHECK_THROWS_WITH_AS(learn("a b c d a b c\n", {.size = 1000}),
                       doctest::Contains("at most 12 pieces, but 1000"), error);
  CHECK(learn("a b c d a b c\n", {.size = 12}).size() == 12);
  CHECK_THROWS_WITH_AS(learn("a b c d a b c\n", {.size = 1000, .model = "unigram"}),
                       doctest::Contains("at most 9"), error);
  CHECK_THROWS_WITH_AS(learn("a b c d a b c\n", {.size = 4}), doctest::Contains("4 vs 8"), error);
}

TEST_CASE("sentencepiece: empty text and blank lines are an error") {
  CHECK_THROWS_WITH_AS(learn("", {}), doctest::Contains("nothing to learn from"), error);
  CHECK_THROWS_WITH_AS(learn("\n  \n\r\n", {}), doctest::Contains("nothing to learn from"), error);
}

TEST_CASE("sentencepiece: lines with NUL teach nothing, bytes that are no UTF-8 are an error") {
  const std::string text = sample_text();
  const auto plain = learn(text, {.size = 50}),
             with_nul = learn(text + std::string("x\0y\n", 4), {.size = 50});
  for (token_t id = 0; id < 50; ++id) CHECK(plain.piece(id) == with_nul.piece(id));
  CHECK_THROWS_WITH_AS(learn("gut\nsch\xF6n\n", {}), doctest::Contains(":2: byte 4"), error);
  CHECK_THROWS_WITH_AS(learn("a\n", {.model = "words"}), doctest::Contains("expected bpe or unigram"), error);
}

TEST_CASE("sentencepiece: a model file reads back; other files are an error") {
  const auto pieces = learn(sample_text(), {.size = 60});
  const scratch_file file("model", ""), junk("junk", "no model at all");
  CHECK_THROWS_WITH_AS(sentencepiece_model::read(file.path), doctest::Contains("is no SentencePiece model"),
                       error);
  pieces.write(file.path);
  CHECK(sentencepiece_model::read(file.path).encode("das Haus am See") == pieces.encode("das Haus am See"));
  CHECK_THROWS_AS(sentencepiece_model::read(junk.path), error);
  CHECK_THROWS_WITH_AS(sentencepiece_model::read("/nonexistent"),
                       "/nonexistent: cannot be opened for reading: No such file or directory", error);
  CHECK_THROWS_WITH_AS(sentencepiece_model::read("/"), "/: expected a regular file", error);
}

TEST_CASE("sentencepiece: a model encodes a parallel corpus") {
  const auto pieces = learn(sample_text(), {.size = 60});
  const std::vector<sentence_pair> pairs{{"das Haus", "der Garten"}};
  const parallel_corpus corpus = encode_parallel_corpus(pairs, pieces, pieces);
  CHECK(pieces.decode(corpus.target_sentence(0)) == "der Garten");
}

TEST_CASE("sentencepiece: stored models give their stored ids") {
  if (!formwork_test::shared_exists()) return;
  check_stored_ids("bpe1000");
  check_stored_ids("test_model");
}
