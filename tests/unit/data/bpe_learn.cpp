#include <formwork/data/bpe_learn.hpp>

#include <formwork/data/bpe.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace formwork;

namespace {

bpe_codes learn(const std::vector<std::string>& lines, index_t merges, index_t least = 2) {
  bpe_learner learner;
  for (const auto& line : lines) learner.add(line);
  return learner.learn(merges, least);
}

using word = std::pair<std::vector<std::string>, index_t>;  // symbols, and how often

/// One merge of the plain algorithm: counts all pairs anew. Expects ASCII.
bpe_merge plain_merge(std::vector<word>& words) {
  std::map<std::pair<std::string, std::string>, index_t> counts;
  for (const auto& [symbols, count] : words) {
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) counts[{symbols[i], symbols[i + 1]}] += count;
  }
  std::pair<index_t, std::pair<std::string, std::string>> best;
  for (const auto& [pair, count] : counts) best = (std::max)(best, {count, pair});
  const auto& [left, right] = best.second;
  for (auto& [symbols, count] : words) {
    std::vector<std::string> joined;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const bool here = i + 1 < symbols.size() && symbols[i] == left && symbols[i + 1] == right;
      joined.push_back(here ? left + right : symbols[i]);
      i += here;
    }
    symbols = joined;
  }
  return {left, right};
}

}  // namespace

TEST_CASE("bpe learn: the most frequent pair comes first") {
  const bpe_codes codes = learn({"ab ab ab", "cd cd"}, 10);
  CHECK(codes.version == 2);
  CHECK(codes.merges == std::vector<bpe_merge>{{"a", "b</w>"}, {"c", "d</w>"}});
}

TEST_CASE("bpe learn: counts beyond 2^32 are counted") {
  detail::bpe_pairs pairs;
  pairs.add("ab", (index_t{1} << 32) + 1);
  pairs.add("cd", 5);
  bpe_merge best;
  std::uint64_t pair = 0;
  REQUIRE(pairs.best(1, best, pair));
  CHECK(best == bpe_merge{"a", "b</w>"});
}

TEST_CASE("bpe learn: of equally frequent pairs the greatest by code point comes first") {
  const bpe_codes codes = learn({"ab ab \xC3\xA4z \xC3\xA4z az az"}, 10);
  CHECK(codes.merges == std::vector<bpe_merge>{{"\xC3\xA4", "z</w>"}, {"a", "z</w>"}, {"a", "b</w>"}});
}

TEST_CASE("bpe learn: it stops when no pair is frequent enough") {
  CHECK(learn({"ab cd cd"}, 10).merges == std::vector<bpe_merge>{{"c", "d</w>"}});
  CHECK(learn({"ab cd cd"}, 10, 1).merges.size() == 2);
  CHECK(learn({"ab cd cd"}, 10, 3).merges.empty());
  CHECK(learn({}, 10).merges.empty());
  CHECK(learn({"a b c"}, 10).merges.empty());
  CHECK(learn({"ab ab"}, 0).merges.empty());
}

TEST_CASE("bpe learn: only plain spaces separate words, only they and line ends are taken off") {
  CHECK(learn({" a\xC2\xA0  a\xC2\xA0\r\n"}, 10).merges == std::vector<bpe_merge>{{"a", "\xC2\xA0</w>"}});
}

TEST_CASE("bpe learn: counts kept up to date give the same merges as counting anew") {
  std::uint32_t state = 7;
  const auto next = [&](std::uint32_t bound) {
    return ((state = state * 1664525u + 1013904223u) >> 16) % bound;
  };
  for (int trial = 0; trial < 30; ++trial) {
    // Few letters make repeats and overlaps such as "aaa" and "abab", where keeping counts is hard.
    const std::uint32_t letters = 1 + next(3);
    std::map<std::string, index_t> counts;
    std::vector<std::string> lines;
    for (std::uint32_t i = 0, n = 1 + next(20); i < n; ++i) {
      std::string text;
      for (std::uint32_t k = 0, length = 1 + next(12); k < length; ++k)
        text += static_cast<char>('a' + next(letters));
      ++counts[text];
      lines.push_back(text);
    }
    std::vector<word> words;
    for (const auto& [text, count] : counts) {
      words.push_back({{}, count});
      for (const char c : text) words.back().first.emplace_back(1, c);
      words.back().first.back() += "</w>";
    }
    const bpe_codes codes = learn(lines, 20);
    for (const bpe_merge& merge : codes.merges) CHECK(merge == plain_merge(words));
    bpe encoder(codes);
    for (const auto& line : lines) CHECK(remove_bpe(encoder.apply(line)) == line);
  }
}

TEST_CASE("bpe learn: broken text is named by its offset") {
  bpe_learner learner;
  CHECK_THROWS_WITH_AS(learner.add("\xFF"),
                       "byte-pair encoding: the line is not valid UTF-8 at byte 0 (counted from 0)", error);
}
