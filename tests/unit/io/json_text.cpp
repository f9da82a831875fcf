#include <formwork/io/json_text.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <nlohmann/json.hpp>

using namespace formwork;
using namespace std::string_literals;

namespace {
std::string as_json(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out;
}
template <class T>
std::string number(T value) {
  std::string out;
  append_json_number(out, value);
  return out;
}
}  // namespace

TEST_CASE("append_json_string: every text reads back, wrong bytes become U+FFFD") {
  CHECK(as_json("a\"b\\c\n\x7f") == "\"a\\\"b\\\\c\\u000a\x7f\"");
  CHECK(as_json("\xff"
                "a\xC3") ==
        "\"\xEF\xBF\xBD"
        "a\xEF\xBF\xBD\"");
  std::string all;
  for (char32_t c = 0; c < 0x3000; ++c) append_utf8(all, c);
  append_utf8(all, 0x10FFFF);
  CHECK(nlohmann::json::parse(as_json(all)).get<std::string>() == all);
}

TEST_CASE("append_json_number: the shortest form that reads back, and strings where JSON has no number") {
  CHECK(number(0.1) == "0.1");
  CHECK(number(0.1f) == "0.1");
  CHECK(number(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(number(std::numeric_limits<double>::infinity()) == "\"inf\"");
  CHECK(number(-std::numeric_limits<float>::infinity()) == "\"-inf\"");
  CHECK(number(-std::numeric_limits<double>::quiet_NaN()) == "\"nan\"");
  for (const double value : {1e22, 5e-324, 1.7976931348623157e308, -0.0, 1.0 / 3}) {
    CHECK(nlohmann::json::parse(number(value)).get<double>() == value);
  }
}
