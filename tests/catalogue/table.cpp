// docs/catalogue.md is made from the code: names and numbers from the types, sentences from their comments.
// To write it anew: FORMWORK_WRITE_CATALOGUE=1 and this test.
#include <formwork/model/layers.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/policy/norm_placement/all.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace formwork;

namespace {

const std::filesystem::path root = FORMWORK_TEST_SOURCE_DIR;

/// The comment above a policy: what stands first, and what follows "Source:", "When:" and so on.
struct description {
  std::string name, file;
  std::map<std::string, std::string> parts;  // "" is the first part
};

std::string trimmed(const std::string& s) {
  const auto first = s.find_first_not_of(' '), last = s.find_last_not_of(' ');
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

description read_comment(const std::vector<std::string>& comment) {
  description d;
  std::string key;
  for (const std::string& line : comment) {
    std::string words = trimmed(line);
    for (const char* known : {"When", "Claim", "Init", "Final norm", "Source", "Cost", "Gradient", "Shapes"})
      if (words.starts_with(std::string(known) + ":")) {
        key = known;
        words = trimmed(words.substr(key.size() + 1));
      }
    std::string& part = d.parts[key];
    part += (part.empty() || words.empty() ? "" : " ") + words;
  }
  return d;
}

/// The policies of a folder that say where they come from, in the order of their headers.
std::vector<description> policies_of(const std::string& role) {
  std::vector<std::filesystem::path> headers;
  for (const auto& entry : std::filesystem::directory_iterator(root / "include/formwork/policy" / role))
    headers.push_back(entry.path());
  // The header of the role has the first of them.
  std::sort(headers.begin(), headers.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.stem() != role, a.filename()) < std::pair(b.stem() != role, b.filename());
  });
  std::vector<description> out;
  for (const auto& header : headers) {
    std::ifstream file(header);
    std::vector<std::string> comment;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("///")) {
        comment.push_back(line.substr(3));
        continue;
      }
      if (line.starts_with("template")) continue;
      if (line.starts_with("struct ") && !comment.empty()) {
        description d = read_comment(comment);
        d.name = line.substr(7, line.find_first_of(" :<{;", 7) - 7);
        d.file = header.filename();
        if (d.parts.contains("Source")) out.push_back(std::move(d));
      }
      comment.clear();
    }
  }
  return out;
}

std::string cell(std::string s) {
  for (std::size_t i = 0; (i = s.find('|', i)) != s.npos; i += 2) s.insert(i, "\\");
  return s.empty() ? "-" : s;
}

/// No norm, nothing: what a layer has without a placement's own parameters.
struct bare {
  static constexpr label name = "bare";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto) { return x + f(x); }
};

template <class P>
struct base_size : config {
  using placement = P;
};

template <class P>
constexpr bool scales_initial_values = [] {
  if constexpr (detail::has_sections<P>)
    return scales_initial_values<typename P::lower> || scales_initial_values<typename P::upper>;
  else
    return requires(parameter_info p) { P::gain(p); };
}();

template <class P>
std::string extra_parameters() {
  const auto count = [](const graph& g) { return parameter_count(g, false, 0, 0); };
  std::string out;
  using C = base_size<P>;
  using B = base_size<bare>;
  const index_t encoder =
      count(encoder_layer<detail::upper_section<C>>::graph) - count(encoder_layer<B>::graph);
  const index_t decoder =
      count(decoder_layer<detail::upper_section<C>>::graph) - count(decoder_layer<B>::graph);
  return text(encoder, " / ", decoder);
}

std::string placements_table() {
  std::map<std::string, description> found;
  for (description& d : policies_of("norm_placement")) found[d.name] = d;
  std::string out =
      "## Norm placements\n\n"
      "f is a sub-layer, N a norm; each norm has parameters of its own. Parameters: what an encoder and a "
      "decoder\n"
      "layer (of the upper section, where there are two) have besides the sub-layers themselves, at width "
      "512.\n\n"
      "| name | what it is | parameters | final norm | initial values | source "
      "|\n|---|---|---|---|---|---|\n";
  all_placements::each([&](auto type) {
    using P = typename decltype(type)::type;
    const std::string name(label(P::name).view());
    CAPTURE(name);
    REQUIRE(found.contains(name));
    description& d = found[name];
    const std::string init = d.parts.contains("Init")   ? d.parts["Init"]
                             : scales_initial_values<P> ? "see the comment"
                                                        : "any";
    out += text("| `", name, "` | ", cell(d.parts[""]), " | ", extra_parameters<P>(), " | ",
                P::final_norm ? "yes" : "no", " | ", cell(init), " | ", cell(d.parts["Source"]), " |\n");
  });
  return out;
}

std::string table_of(const char* title, const std::string& role) {
  const std::vector<description> all = policies_of(role);
  CAPTURE(role);
  CHECK(!all.empty());
  std::string out =
      text("\n## ", title, "\n\n| name | what it is | when | source | header |\n|---|---|---|---|---|\n");
  for (description d : all)
    out += text("| `", d.name, "` | ", cell(d.parts[""]), " | ", cell(d.parts["When"]), " | ",
                cell(d.parts["Source"]), " | ", role, "/", d.file, " |\n");
  return out;
}

}  // namespace

TEST_CASE("catalogue: docs/catalogue.md says what the code says") {
  const std::string page =
      "# The catalogue of policies\n\nMade from the comments and types under include/formwork/policy by "
      "tests/catalogue/table.cpp; "
      "docs/policies.md\nsays how to choose and how to write one.\n\n" +
      placements_table() + table_of("Norms", "norm") + table_of("Activations", "activation") +
      table_of("Positions", "position") + table_of("Initialisers", "init") +
      table_of("Optimizers", "optimizer") + table_of("Schedules", "schedule");
  const auto path = root / "docs/catalogue.md";
  if (std::getenv("FORMWORK_WRITE_CATALOGUE")) std::ofstream(path) << page;
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  const bool agrees = found.str() == page;
  CHECK_MESSAGE(agrees,
                "docs/catalogue.md is out of date; FORMWORK_WRITE_CATALOGUE=1 and this test write it anew");
}
