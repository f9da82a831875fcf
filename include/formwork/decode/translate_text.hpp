#pragma once
#include <formwork/decode/translator.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// The best translation of each line of text. `codec` turns lines into tokens and back, as subword_codec
/// does. An empty line has an empty translation. No line's translation depends on the others.
template <class Model, class Codec>
std::vector<std::string> translate(Model& model, typename Model::backend_type& backend, Codec& codec,
                                   std::span<const std::string> lines, const decode_options& options = {}) {
  std::vector<std::vector<token_t>> sources;
  for (const std::string& line : lines) {
    sources.emplace_back();
    codec(std::string_view(line), sources.back());
    sources.back().push_back(end_token);
  }
  std::vector<std::string> translations;
  for (const std::vector<hypothesis>& best : translator<Model>(model, backend, options).translate(sources))
    translations.push_back(codec.decode(best.front().tokens));
  return translations;
}

/// The best translation of one line of text.
template <class Model, class Codec>
std::string translate(Model& model, typename Model::backend_type& backend, Codec& codec,
                      std::string_view line, const decode_options& options = {}) {
  const std::string text(line);
  return translate(model, backend, codec, std::span(&text, 1), options).front();
}

}  // namespace formwork
