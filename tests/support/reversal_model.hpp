#pragma once
#include <formwork/model/encoder_decoder.hpp>

#include "torch_reference.hpp"

namespace formwork_test {

/// The model of the reference training runs:
/// 2+2 layers, width 16, one table for everything, double precision.
struct reversal : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 32, .heads = 4, .encoder_layers = 2, .decoder_layers = 2};
  using precision = formwork::fp64;
};
struct reversal_post : reversal {
  using placement = formwork::post_norm;
};

/// "encoder.1.self_attention.key.weight" -> "enc.1." and the place in PyTorch's layer.
inline torch_place reversal_place_of(const std::string& name) {
  if (name == "embedding.weight") return {"emb.weight"};
  const bool decoder = name.starts_with("decoder.");
  const std::string stack = decoder ? "dec" : "enc", rest = name.substr(8);
  if (rest.starts_with("norm.")) return {stack + (rest == "norm.gain" ? "_norm.weight" : "_norm.bias")};
  torch_place at = torch_place_of(rest.substr(2), decoder);
  at.tensor = stack + "." + rest.substr(0, 2) + at.tensor;
  return at;
}

/// Batch `step` of a run without its padding (symbol 0).
class reversal_batch {
 public:
  reversal_batch(const torch_reference& reference, index_t step) {
    strip(reference, "src", step, source, source_start);
    strip(reference, "tgt_in", step, target_in, target_start);
    strip(reference, "tgt_out", step, target_out, out_start_);
    REQUIRE(target_start == out_start_);
  }
  formwork::sequence_pairs pairs() const {
    return {source.data(),
            target_in.data(),
            target_out.data(),
            {source_start.data(), index_t(source_start.size()) - 1},
            {target_start.data(), index_t(target_start.size()) - 1}};
  }
  std::vector<index_t> target_lengths() const {
    std::vector<index_t> out;
    for (std::size_t b = 1; b < target_start.size(); ++b)
      out.push_back(target_start[b] - target_start[b - 1]);
    return out;
  }

  std::vector<formwork::token_t> source, target_in, target_out;
  std::vector<index_t> source_start{0}, target_start{0};

 private:
  static void strip(const torch_reference& reference, const std::string& name, index_t step,
                    std::vector<formwork::token_t>& tokens, std::vector<index_t>& start) {
    const auto all = reference.file().tensor<std::int32_t>(name);
    const index_t sentences = all.shape[1], longest = all.shape[2];
    for (index_t b = 0; b < sentences; ++b) {
      for (index_t t = 0; t < longest; ++t)
        if (const std::int32_t id = all.values[std::size_t((step * sentences + b) * longest + t)]; id != 0)
          tokens.push_back(id);
      start.push_back(index_t(tokens.size()));
    }
  }

  std::vector<index_t> out_start_{0};
};

}  // namespace formwork_test
