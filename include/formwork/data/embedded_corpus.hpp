#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/data/embedded_sentences.hpp>
#include <formwork/data/lines.hpp>
#include <formwork/data/sentence_pair.hpp>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace formwork {

/// How many pairs of each part, and which ones: another seed gives another sample of the same language.
struct embedded_corpus_options {
  std::uint64_t seed = 1;
  index_t train = 100'000;
  index_t valid = 1'000;
  index_t test = 1'000;
};

/// What a sentence is used for.
enum class corpus_part : std::uint8_t { train, valid, test };

/// The part that a German sentence belongs to, by a hash of its bytes alone: 30 of 32 sentences are for
/// training, one for validation, one for testing. So no test sentence is ever trained on, whatever the seeds
/// and sizes.
constexpr corpus_part part_of(std::string_view german) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : german) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9;
  hash >>= 59;
  return hash == 0 ? corpus_part::test : hash == 1 ? corpus_part::valid : corpus_part::train;
}

/// A German-English corpus made by a grammar, for examples and tests that must run without any download:
/// number words, dates, clock times, prices, and clauses whose word order differs in the two languages. See
/// docs/embedded-corpus.md. All sentences of a corpus are different, and the parts have none in common.
/// Requires: sizes >= 0, and not more sentences than the grammar has (checked)
/// Cost:     about 5 microseconds and 300 bytes a pair
struct embedded_corpus {
  std::vector<sentence_pair> train, valid, test;

  explicit embedded_corpus(const embedded_corpus_options& options = {}) {
    std::vector<sentence_pair>* const parts[] = {&train, &valid, &test};
    const index_t wanted[] = {options.train, options.valid, options.test};
    index_t missing = 0;
    for (int i = 0; i < 3; ++i) {
      if (wanted[i] < 0) fail("embedded corpus: ", wanted[i], " pairs asked for");
      parts[i]->reserve(std::size_t(wanted[i]));
      missing += wanted[i];
    }
    std::unordered_set<std::string> seen;
    const index_t patience = 10'000 + 1'000 * missing;
    for (index_t i = 0; missing > 0; ++i) {
      if (i == patience)
        fail("embedded corpus: the grammar has too few different sentences for ", missing, " more");
      sentence_pair pair = embedded::sentence(options.seed, i);
      const auto part = std::size_t(part_of(pair.source));
      if (index_t(parts[part]->size()) == wanted[part] || !seen.insert(pair.source).second) continue;
      parts[part]->push_back(std::move(pair));
      --missing;
    }
  }

  /// Writes train.de, train.en, valid.de, valid.en, test.de and test.en into a folder,
  /// which is made if need be.
  /// Requires: the folder can be written (checked)
  void write(const std::string& folder) const {
    make_folders(folder);
    const auto write_side = [&](const char* name, const std::vector<sentence_pair>& pairs, auto side) {
      std::string lines;
      for (const sentence_pair& pair : pairs) lines.append(pair.*side).append("\n");
      detail::write_text(folder + "/" + name, lines);
    };
    write_side("train.de", train, &sentence_pair::source);
    write_side("train.en", train, &sentence_pair::target);
    write_side("valid.de", valid, &sentence_pair::source);
    write_side("valid.en", valid, &sentence_pair::target);
    write_side("test.de", test, &sentence_pair::source);
    write_side("test.en", test, &sentence_pair::target);
  }
};

}  // namespace formwork
