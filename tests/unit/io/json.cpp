#include <formwork/io/json.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;

namespace {
std::string fault_of(const std::string& source) {
  return formwork_test::failure_of<error>([&] { parse_json(source, "f"); });
}
}  // namespace

TEST_CASE("parse_json: gives the value of a text") {
  CHECK(parse_json(" {\"a\":[1,{\"a\":2}],\"b\":{\"a\":\"x\"}} ", "f")["b"]["a"] == "x");
}

TEST_CASE("parse_json: faults are one sentence with the place") {
  CHECK(fault_of("{\"a\":1,\"b\":2,\"a\":3}") == "f: the name \"a\" is given twice");
  CHECK(fault_of("[{\"a\":1},{\"a\":1}]").empty());
  CHECK(fault_of("{\"a\":\xff}") == "f: byte 5 is not valid UTF-8");
  CHECK(fault_of("{\"a\"").starts_with("f: invalid JSON at byte 5"));
  CHECK(fault_of("").starts_with("f: invalid JSON at byte"));
  CHECK(fault_of("{} x").starts_with("f: invalid JSON at byte"));
  CHECK(fault_of("[1e999]") == "f: a number is too large");
  CHECK(fault_of(std::string(1'000'000, '[')) == "f: JSON nested deeper than 32 levels");
}
