#pragma once
#include <doctest/doctest.h>

#include <formwork/io/safetensors.hpp>
#include <formwork/model/encoder_decoder.hpp>

#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "shared.hpp"

namespace formwork_test {

/// A published Arabic-to-English transliteration model (6+6 layers, Pre-LN, three tables, output bias).
struct transliteration : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 32, .d_ff = 128, .heads = 8, .encoder_layers = 6, .decoder_layers = 6};
  static constexpr formwork::tying ties = formwork::tying::none;
  static constexpr bool output_bias = true;
};

inline std::string transliteration_path(const std::string& file) {
  return shared_path("data/model-aren-transliteration/" + file);
}

/// Where a parameter of ours lies in the file: a tensor, and which of the equal blocks of its rows.
struct transliteration_place {
  std::string tensor;
  int block = 0, blocks = 1;
};

inline transliteration_place transliteration_place_of(const std::string& name) {
  const std::string kind = name.substr(name.rfind('.') + 1);
  const std::string norm = kind == "gain" ? "layer_norm/gamma" : "layer_norm/beta";
  if (name == "source_embedding.weight") return {"encoder/embeddings/weight"};
  if (name == "target_embedding.weight") return {"decoder/embeddings/weight"};
  if (name.starts_with("head.")) return {"decoder/projection/" + kind};
  const std::string stack = name.substr(0, 7), rest = name.substr(8);
  if (rest.starts_with("norm.")) return {stack + "/" + norm};
  const std::string layer = stack + "/layer_" + rest.substr(0, 1) + "/", part = rest.substr(2);
  const std::string within = part.substr(part.find('.') + 1);
  if (part.starts_with("ffn."))
    return {
        layer + "ffn/" +
        (within.starts_with("norm") ? norm : (within.starts_with("up") ? "linear_0/" : "linear_1/") + kind)};
  const bool cross = part.starts_with("cross");
  const std::string block = layer + (cross ? "attention/" : "self_attention/");
  if (within.starts_with("norm")) return {block + norm};
  if (within.starts_with("output")) return {block + (cross ? "linear_2/" : "linear_1/") + kind};
  const int index = within.starts_with("query") ? 0 : within.starts_with("key") ? 1 : 2;
  if (!cross) return {block + "linear_0/" + kind, index, 3};
  return index == 0 ? transliteration_place{block + "linear_0/" + kind}
                    : transliteration_place{block + "linear_1/" + kind, index - 1, 2};
}

/// Fills the model's parameters from the file; returns how many numbers of it were used.
template <class Model>
formwork::index_t load_transliteration(Model& model) {
  using formwork::index_t;
  const formwork::safetensors_reader file(transliteration_path("model.safetensors"));
  auto& store = model.parameters();
  for (std::size_t i = 0; i < store.entries().size(); ++i) {
    const transliteration_place at = transliteration_place_of(store.entries()[i].name);
    const std::vector<float> all = file.tensor<float>(at.tensor).values;
    const auto to = store.value(i);
    REQUIRE(index_t(all.size()) == to.rows * to.width * at.blocks);
    std::copy_n(all.data() + at.block * to.rows * to.width, to.rows * to.width, to.data);
  }
  index_t total = 0;
  for (const formwork::tensor_entry& e : file.entries()) total += e.count();
  return total;
}

/// The model's symbols; one that is not listed has the id behind the last.
class symbols {
 public:
  explicit symbols(const std::string& file) {
    std::ifstream in(transliteration_path(file));
    for (std::string line; std::getline(in, line);) {
      ids_[line] = formwork::token_t(names_.size());
      names_.push_back(line);
    }
  }
  formwork::index_t size() const { return formwork::index_t(names_.size()) + 1; }
  std::vector<formwork::token_t> ids(const nlohmann::json& words) const {
    std::vector<formwork::token_t> out;
    for (const auto& word : words) {
      const auto found = ids_.find(word.get<std::string>());
      out.push_back(found == ids_.end() ? formwork::token_t(names_.size()) : found->second);
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, formwork::token_t> ids_;
};

/// The cases of expected.jsonl.
inline std::vector<nlohmann::json> transliteration_cases() {
  std::vector<nlohmann::json> out;
  std::ifstream in(transliteration_path("expected.jsonl"));
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

}  // namespace formwork_test
