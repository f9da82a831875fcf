#include <formwork/io/json.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../../support/scratch_folder.hpp"

using namespace formwork;

namespace {

std::string fault_of(const std::string& source) {
  return formwork_test::failure_of<error>([&] {
    json_reader json(source, "f");
    json.skip();
    json.end();
  });
}
bool valid(const std::string& source) { return fault_of(source).empty(); }
bool invalid(const std::string& source) { return fault_of(source).starts_with("f: invalid JSON at byte"); }
std::string string_of(const std::string& source) { return json_reader(source, "f").string(); }
std::string nested(int levels, const std::string& core) {
  return std::string(std::size_t(levels), '[') + core + std::string(std::size_t(levels), ']');
}

}  // namespace

TEST_CASE("json_reader: gives the values of a text") {
  json_reader json(" {\"a\":[1,{\"a\":2}],\"b\":{\"a\":\"x\"},\"c\":null} ", "f");
  std::string seen;
  REQUIRE(json.next() == '{');
  json.object([&](const std::string& name) {
    seen += name + json.next();
    if (name == "a") {
      json.array([&] { seen += json.next() == '0' ? json.number() : json.skip(); });
    } else if (name == "b") {
      json.object([&](const std::string& inner) { seen += inner + json.string(); });
    } else {
      seen += json.skip();
    }
  });
  json.end();
  CHECK(seen == "a[1{\"a\":2}b{axcnnull");
}

TEST_CASE("json_reader: another value than the one asked for is a fault") {
  CHECK(formwork_test::failure_of<error>([] { json_reader("[\"1\"]", "f").array([] {}); }) ==
        "f: invalid JSON at byte 2");
  CHECK(formwork_test::failure_of<error>([] { json_reader("1", "f").string(); }) ==
        "f: invalid JSON at byte 1");
  CHECK(formwork_test::failure_of<error>([] { json_reader("\"1\"", "f").number(); }) ==
        "f: invalid JSON at byte 1");
}

TEST_CASE("json_reader: faults are one sentence with the place") {
  CHECK(fault_of("{\"a\":1,\"b\":2,\"a\":3}") == "f: the name \"a\" is given twice");
  CHECK(fault_of("{\"a\":1,\"\\u0061\":3}") == "f: the name \"a\" is given twice");
  CHECK(fault_of("[{\"a\":1},{\"a\":1}]").empty());
  CHECK(fault_of("{\"a\":{\"a\":1}}").empty());
  CHECK(fault_of("{\"a\":\xff}") == "f: byte 5 is not valid UTF-8");
  CHECK(fault_of("{\"a\"").starts_with("f: invalid JSON at byte 5"));
  CHECK(fault_of("").starts_with("f: invalid JSON at byte"));
  CHECK(fault_of("{} x").starts_with("f: invalid JSON at byte"));
  CHECK(fault_of("[1e999]") == "f: a number is too large");
  CHECK(fault_of(std::string(1'000'000, '[')) == "f: JSON nested deeper than 32 levels");
}

TEST_CASE("json_reader: numbers have the grammar's form and the range of a double") {
  for (const char* good :
       {"0", "-0", "10", "-1.50", "1e5", "1E+05", "1e-05", "0.0", "0e999", "-0.0e99999999999999999999",
        "1e308", "1e-400", "1e-99999999999999999999", "0.1e309", "10e-9223372036854775808",
        "18446744073709551616", "123456789012345678901234567890"}) {
    CAPTURE(good);
    CHECK(valid(good));
    CHECK(json_reader(good, "f").number() == good);
  }
  CHECK(valid("0." + std::string(400, '0') + "1"));
  CHECK(valid("0." + std::string(400, '0') + "1e500"));
  CHECK(valid("1" + std::string(400, '0') + "e-200"));
  for (const std::string& large :
       {std::string("1e400"), std::string("-1e400"), std::string("1e99999999999999999999"),
        std::string("10e9223372036854775807"), std::string("-0.01e9223372036854775807"),
        std::string("1.8e308"), "1" + std::string(400, '0'), "1" + std::string(400, '0') + "e-10",
        "0." + std::string(10, '0') + "1e400"}) {
    CAPTURE(large);
    CHECK(fault_of(large) == "f: a number is too large");
  }
  for (const char* bad : {"01", "-01", "00", "+1", "-", ".5", "1.", "1.e5", "1e", "1e+", "--1", "0x10", "1_0",
                          "1,0", "Infinity", "NaN", "-Infinity", "1 2", "1a"}) {
    CAPTURE(bad);
    CHECK(invalid(bad));
  }
}

TEST_CASE("json_reader: strings keep every escape, and half a surrogate pair is a fault") {
  CHECK(string_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string_of(R"("\u0041\u00e9\u20AC\uD83d\uDe00\u007f")") ==
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7f");
  CHECK(string_of(R"("\ud800\udc00\udbff\udfff\uFFFF")") == "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\xEF\xBF\xBF");
  CHECK(string_of(R"("a\u0000b")") == std::string("a\0b", 3));
  CHECK(string_of("\"\x7f\xC2\x80\"") == "\x7f\xC2\x80");
  for (const char* bad : {R"("\uD800")",
                          R"("\uDC00")",
                          R"("\uD800x")",
                          R"("\uD800\n")",
                          R"("\uD800\u0041")",
                          R"("\uD800\uD800")",
                          R"("\uDC00\uD800")",
                          R"("\u12")",
                          R"("\u12G4")",
                          R"("\U0041")",
                          R"("\x41")",
                          R"("\a")",
                          R"("\0")",
                          R"("\'")",
                          R"("\)",
                          R"("\")",
                          R"("\u)",
                          "\"",
                          "'a'",
                          "\"a\nb\"",
                          "\"\t\"",
                          "\"\x1f\""}) {
    CAPTURE(bad);
    CHECK(invalid(bad));
  }
  CHECK(invalid(std::string("\"\0\"", 3)));
}

TEST_CASE("json_reader: structure is that of the grammar, without extensions") {
  for (const char* good : {"[]", "{}", " [ ] ", "\t\r\n{ }\n", "[[],{}]", "true", "false", "null", "\"\"",
                           "{\"\":0}", "[1 , 2]", "{ \"a\" : 1 , \"b\" : [ ] }"}) {
    CAPTURE(good);
    CHECK(valid(good));
  }
  for (const char* bad : {"[1,]",
                          "[,1]",
                          "[,]",
                          "[1,,2]",
                          "[1 2]",
                          "[",
                          "]",
                          "[1",
                          "[1}",
                          "{\"a\":1,}",
                          "{,}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\" 1}",
                          "{\"a\":1 \"b\":2}",
                          "{a:1}",
                          "{1:1}",
                          "{'a':1}",
                          "{",
                          "}",
                          "{\"a\":1]",
                          "[] []",
                          "[],",
                          "tru",
                          "nul",
                          "True",
                          "truex",
                          "nullnull",
                          "[1]//",
                          "/**/1",
                          "[1]#",
                          ",",
                          ":",
                          "\v1",
                          "\f1",
                          "\xC2\xA0[]",
                          "\xEF\xBB\xBF[]"}) {
    CAPTURE(bad);
    CHECK(invalid(bad));
  }
  CHECK(invalid(std::string("[]\0", 3)));
}

TEST_CASE("json_reader: 32 levels hold, what lies deeper does not") {
  CHECK(valid(nested(32, "1")));
  CHECK(valid(nested(32, "{}")));
  for (const char* core : {"1", "\"\"", "null", "[]", "{}"})
    CHECK(fault_of(nested(33, core)) == "f: JSON nested deeper than 32 levels");
  CHECK(fault_of(nested(32, "{\"a\":1}")) == "f: JSON nested deeper than 32 levels");
}

TEST_CASE("json_reader: agrees with another reader on texts with any one byte removed, doubled or changed") {
  const std::string whole =
      R"( {"a\u00e9\n":[-1.5e+3,0,"x\\\"",true,false,null,{}],"\ud83d\ude00":{"b":[[ ]]}} )";
  const std::string changes = "\"\\{}[]:,01-+.eEutfna \n\x01";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string cut = whole, doubled = whole;
    cut.erase(i, 1);
    doubled.insert(i, 1, whole[i]);
    std::vector<std::string> texts{cut, doubled, whole.substr(0, i)};
    for (const char c : changes) (texts.emplace_back(whole))[i] = c;
    for (const std::string& each : texts) {
      CAPTURE(each);
      CHECK(valid(each) == nlohmann::json::accept(each));
    }
  }
}
