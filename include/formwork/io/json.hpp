#pragma once
// The only header that names the JSON library. Others parse through it; what they write needs no library.
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace formwork {

/// A parsed JSON value (nlohmann-json's, whose documentation applies).
using json = nlohmann::json;

/// Parses one JSON text. Stricter than the library it uses: a name given twice in an object is an error, as
/// are more than 32 levels. `where` opens the error's sentence, for example "model.safetensors: header".
inline json parse_json(std::string_view source, std::string_view where) {
  if (const index_t at = first_invalid_utf8(source); at >= 0) {
    fail(where, ": byte ", at, " is not valid UTF-8");
  }
  std::vector<std::set<std::string>> names;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    using kind = json::parse_event_t;
    if (depth > 32) fail(where, ": JSON nested deeper than 32 levels");
    if (event == kind::object_start) names.emplace_back();
    if (event == kind::object_end) names.pop_back();
    if (event == kind::key && !names.back().insert(parsed.get<std::string>()).second) {
      fail(where, ": the name \"", parsed.get_ref<const std::string&>(), "\" is given twice");
    }
    return true;
  };
  try {
    return json::parse(source, watch);
  } catch (const json::parse_error& e) {
    fail(where, ": invalid JSON at byte ", e.byte);
  } catch (const json::out_of_range&) {
    fail(where, ": a number is too large");
  }
}

}  // namespace formwork
