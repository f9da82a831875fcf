#include <formwork/core/error.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("error: text joins words and numbers, floating-point numbers in their shortest exact form") {
  CHECK(text("a", 'b', std::string("c"), std::string_view("d")) == "abcd");
  CHECK(text(-7, " ", std::uint64_t{18446744073709551615u}, " ", true, false) ==
        "-7 18446744073709551615 truefalse");
  CHECK(text(0.1, " ", 0.1f, " ", 1e-300, " ", 3.0) == "0.1 0.1 1e-300 3");
}

TEST_CASE("error: fail throws the joined sentence, fail_at puts file and line in front") {
  CHECK_THROWS_WITH_AS(fail("found ", 3, ", expected ", 4), "found 3, expected 4", error);
  CHECK_THROWS_WITH_AS(fail_at("corpus.de", 17, "an empty line"), "corpus.de:17: an empty line", error);
  CHECK_THROWS_AS(fail("x"), std::runtime_error);
}

TEST_CASE("error: a sentence is one line and is complete, whatever it names") {
  using namespace std::string_literals;
  CHECK_THROWS_WITH_AS(fail_at("a\nb", 2, "found '", "x\0y"s, "'"), "a\\nb:2: found 'x\\x00y'", error);
}
