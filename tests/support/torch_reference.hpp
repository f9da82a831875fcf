#pragma once
#include <doctest/doctest.h>

#include <formwork/io/safetensors.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/tensor/view.hpp>

#include "shared.hpp"

namespace formwork_test {

using formwork::index_t;

/// Where a parameter of ours lies in PyTorch's modules: a tensor, and which of the equal blocks of its rows.
struct torch_place {
  std::string tensor;
  int block = 0, blocks = 1;
};

/// "self_attention.key.weight" -> second third of "self_attn.in_proj_weight". The norms are numbered in the
/// order of the sub-layers, so a decoder's feed-forward norm has another number than an encoder's.
inline torch_place torch_place_of(const std::string& name, bool decoder) {
  const std::size_t dot = name.find('.'), last = name.rfind('.');
  const std::string part = name.substr(0, dot), kind = name.substr(last + 1);
  const std::string within = dot == last ? "" : name.substr(dot + 1, last - dot - 1);
  if (within == "norm") {
    const int number = part == "self_attention" ? 1 : part == "cross_attention" || !decoder ? 2 : 3;
    return {formwork::text("norm", number, kind == "gain" ? ".weight" : ".bias")};
  }
  if (part == "ffn") return {(within == "up" ? "linear1." : "linear2.") + kind};
  const std::string module = part == "self_attention" ? "self_attn." : "multihead_attn.";
  if (within == "output") return {module + "out_proj." + kind};
  return {module + "in_proj_" + kind, within == "query" ? 0 : within == "key" ? 1 : 2, 3};
}

/// Reference numbers of one file.
class torch_reference {
 public:
  explicit torch_reference(const std::string& file)
      : file_(shared_path("data/vectors-transformer/" + file + ".safetensors")) {}

  std::vector<double> values(const std::string& name) const { return file_.tensor<double>(name).values; }
  bool contains(const std::string& name) const { return file_.contains(name); }
  const formwork::safetensors_reader& file() const { return file_; }

  /// The real rows of a padded tensor [B, longest, D], one after the other.
  std::vector<double> rows(const std::string& name, const std::vector<index_t>& lengths) const {
    const auto padded = file_.tensor<double>(name);
    REQUIRE(padded.shape.size() == 3);
    std::vector<double> out;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      const auto first =
          padded.values.begin() + std::ptrdiff_t(index_t(b) * padded.shape[1] * padded.shape[2]);
      out.insert(out.end(), first, first + std::ptrdiff_t(lengths[b] * padded.shape[2]));
    }
    return out;
  }
  /// Lengths of the sequences behind a mask [B, longest] that is true at padding.
  std::vector<index_t> lengths(const std::string& mask) const {
    const auto padded = file_.tensor<std::uint8_t>(mask);
    std::vector<index_t> out(std::size_t(padded.shape[0]), 0);
    for (index_t b = 0; b < padded.shape[0]; ++b)
      for (index_t t = 0; t < padded.shape[1]; ++t)
        out[std::size_t(b)] += !padded.values[std::size_t(b * padded.shape[1] + t)];
    return out;
  }

  /// Copies a parameter of ours from its block of a tensor.
  void copy(const torch_place& at, const std::string& prefix, formwork::matrix_view<double> to) const {
    const std::vector<double> all = values(prefix + at.tensor);
    REQUIRE(index_t(all.size()) == to.rows * to.width * at.blocks);
    std::copy_n(all.data() + at.block * to.rows * to.width, to.rows * to.width, to.data);
  }
  /// Largest difference to a block of a tensor, relative to the tensor's largest element.
  double error(const torch_place& at, const std::string& prefix, formwork::matrix_view<double> found) const {
    const std::vector<double> all = values(prefix + at.tensor);
    REQUIRE(index_t(all.size()) == found.rows * found.width * at.blocks);
    return relative_error(found.data, all.data() + at.block * found.rows * found.width,
                          found.rows * found.width, largest(all));
  }
  static double error(const double* found, const std::vector<double>& expected) {
    return relative_error(found, expected.data(), index_t(expected.size()), largest(expected));
  }

 private:
  static double largest(const std::vector<double>& x) {
    double m = 0;
    for (const double v : x) m = std::max(m, std::abs(v));
    return m;
  }
  static double relative_error(const double* found, const double* expected, index_t n, double scale) {
    double worst = 0;
    for (index_t i = 0; i < n; ++i) {
      const double difference = std::abs(found[i] - expected[i]) / scale;
      if (!(difference <= worst)) worst = difference == difference ? difference : 1e300;
    }
    return worst;
  }

  formwork::safetensors_reader file_;
};

}  // namespace formwork_test
