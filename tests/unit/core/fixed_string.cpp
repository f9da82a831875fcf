#include <formwork/core/fixed_string.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace formwork;

static_assert(label("up") == label(std::string_view("up")) && label("up") != label("down"));
static_assert(label().empty() && label("").empty() && !label("x").empty());
static_assert(join("ffn", "up").view() == "ffn.up");
static_assert(join("", "up").view() == "up" && join("ffn", "").view() == "ffn" && join("", "").empty());

TEST_CASE("label: holds up to 39 characters, more is a sentence") {
  const std::string longest(39, 'x'), longer(40, 'x');
  CHECK(label(longest).view() == longest);
  CHECK_THROWS_WITH(label{longer}, "label: a name has at most 39 characters");
  CHECK(join(label(std::string(19, 'a')), label(std::string(19, 'b'))).view() ==
        std::string(19, 'a') + "." + std::string(19, 'b'));
  CHECK_THROWS_WITH(join(label(std::string(20, 'a')), label(std::string(19, 'b'))),
                    "label: a name has at most 39 characters");
}
