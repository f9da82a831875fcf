#include <formwork/metric/segments.hpp>

#include "../../support/scratch_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace formwork;

namespace {

std::string failure(const std::vector<std::string>& hypotheses, const reference_sets& references) {
  return formwork_test::failure_of<error>(
      [&] { for_each_segment("BLEU", hypotheses, references, [](auto, auto) {}); });
}

}  // namespace

TEST_CASE("segments: each hypothesis comes with the lines of all reference sets") {
  std::string seen;
  for_each_segment("BLEU", std::vector<std::string>{"a", ""}, {{"b", "c"}, {"", "d"}},
                   [&](auto hypothesis, auto references) {
                     seen += std::string(hypothesis) + ":";
                     for (const auto reference : references) seen += std::string(reference) + ",";
                     seen += ";";
                   });
  CHECK(seen == "a:b,,;:c,d,;");
}

TEST_CASE("segments: counts that differ are both named") {
  CHECK(failure({"a", "b"}, {{"a", "b"}, {"a"}}) == "BLEU: 2 hypotheses but 1 references in set 2 of 2");
  CHECK(failure({"a"}, {{"a", "b"}}) == "BLEU: 1 hypotheses but 2 references in set 1 of 1");
}

TEST_CASE("segments: nothing to score is an error") {
  CHECK(failure({}, {{}}) == "BLEU: no hypotheses were given");
  CHECK(failure({"a"}, {}) == "BLEU: no references were given");
}

TEST_CASE("segments: broken text is named by side, segment and byte") {
  CHECK(failure({"a", "b\xFF"}, {{"a", "b"}}) ==
        "BLEU: the hypothesis of segment 2 is not valid UTF-8 at byte 1 (counted from 0)");
  CHECK(failure({"a"}, {{"\xC3"}}) ==
        "BLEU: the reference of segment 1 is not valid UTF-8 at byte 0 (counted from 0)");
}

TEST_CASE("segments: numbers are rounded correctly") {
  CHECK(fixed_digits(0.125, 2) == "0.12");  // a tie, to even
  CHECK(fixed_digits(0.375, 2) == "0.38");
  CHECK(fixed_digits(28.295, 2) == "28.30");  // the double lies above the decimal number
  CHECK(fixed_digits(100.00000000000004, 2) == "100.00");
  CHECK(fixed_digits(-1.7e308, 60).size() == 1 + 309 + 1 + 60);
}

TEST_CASE("segments: a count of digits that no line needs is an error") {
  for (const int digits : {-1, 61, 500})
    CHECK_THROWS_WITH_AS(fixed_digits(0.5, digits),
                         doctest::Contains("digits after the point, expected 0 to 60"), error);
}
