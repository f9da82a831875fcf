#pragma once
#include <formwork/kernels/cpu/attention.hpp>

#include "random.hpp"

#include <cmath>
#include <vector>

namespace formwork_test {

/// Attention over given sequence lengths with random numbers, and the same by plain loops in double.
template <class T>
struct attention_case {
  using index_t = formwork::index_t;

  std::vector<index_t> query_start{0}, key_start{0};
  index_t heads, width;
  bool causal = false, add_dq = false, add_dk = false, add_dv = false;
  double scale;
  formwork::dropout_site dropout{};
  formwork::storage<T> q, k, v, out, lse, dout, dq, dk, dv;

  attention_case(const std::vector<index_t>& queries, const std::vector<index_t>& keys, index_t heads,
                 index_t width)
      : heads(heads), width(width), scale(1 / std::sqrt(double(width))) {
    for (const index_t n : queries) query_start.push_back(query_start.back() + n);
    for (const index_t n : keys) key_start.push_back(key_start.back() + n);
    const index_t d = heads * width, tokens = query_start.back(), sources = key_start.back();
    q = normal_numbers<T>(tokens * d, 1);
    k = normal_numbers<T>(sources * d, 2);
    v = normal_numbers<T>(sources * d, 3);
    dout = normal_numbers<T>(tokens * d, 4);
    out.resize(tokens * d), dq.resize(tokens * d), lse.resize(tokens * heads);
    dk.resize(sources * d), dv.resize(sources * d);
  }

  formwork::matrix_view<T> query_view(formwork::storage<T>& s) {
    return {s.data(), query_start.back(), heads * width};
  }
  formwork::matrix_view<T> key_view(formwork::storage<T>& s) {
    return {s.data(), key_start.back(), heads * width};
  }
  formwork::matrix_view<T> lse_view() { return {lse.data(), query_start.back(), heads}; }

  formwork::cpu::attention<T> arguments() {
    return {query_view(q),
            key_view(k),
            key_view(v),
            {query_start.data(), index_t(query_start.size()) - 1},
            {key_start.data(), index_t(key_start.size()) - 1},
            heads,
            causal,
            scale,
            dropout};
  }
  void forward(formwork::cpu_backend& backend) {
    formwork::cpu::attention_forward<T>(backend, arguments(), query_view(out), lse_view());
  }
  /// A scalar with curvature behind attention: sum of dout * out + out^3.
  double loss(formwork::cpu_backend& backend) {
    forward(backend);
    double sum = 0;
    for (index_t i = 0; i < out.size(); ++i)
      sum += double(dout[i]) * double(out[i]) + std::pow(double(out[i]), 3);
    return sum;
  }
  void backward(formwork::cpu_backend& backend) {
    forward(backend);
    formwork::storage<T> d(out.size());
    for (index_t i = 0; i < out.size(); ++i) d[i] = dout[i] + 3 * out[i] * out[i];
    formwork::cpu::attention_backward<T>(
        backend, arguments(), query_view(out), lse_view(), query_view(d),
        {query_view(dq), key_view(dk), key_view(dv), add_dq, add_dk, add_dv});
  }

  bool kept(index_t row, index_t column) const {
    const auto block = formwork::philox(
        {std::uint32_t(column / 8), std::uint32_t(row), dropout.site, dropout.step}, dropout.seed);
    return (block[std::size_t(column % 8 / 2)] >> (column % 2 * 16) & 0xFFFF) >= dropout.threshold();
  }
  formwork::storage<double> expected() const {
    const index_t d = heads * width;
    formwork::storage<double> result(out.size());
    for (std::size_t b = 0; b + 1 < query_start.size(); ++b)
      for (index_t i = query_start[b]; i < query_start[b + 1]; ++i)
        for (index_t h = 0; h < heads; ++h) expect_row(b, i, h, result.data() + i * d + h * width);
    return result;
  }

 private:
  void expect_row(std::size_t b, index_t i, index_t h, double* row) const {
    const index_t d = heads * width, keys = key_start[b + 1] - key_start[b];
    const index_t offset = keys - (query_start[b + 1] - query_start[b]), place = i - query_start[b];
    std::vector<double> weight;
    double largest = -1e300, sum = 0;
    for (index_t j = 0; j < keys && (!causal || j <= place + offset); ++j) {
      double s = 0;
      for (index_t c = h * width; c < (h + 1) * width; ++c)
        s += double(q[i * d + c]) * double(k[(key_start[b] + j) * d + c]);
      weight.push_back(s * scale);
      largest = s * scale > largest ? s * scale : largest;
    }
    for (double& w : weight) sum += w = std::exp(w - largest);
    for (std::size_t j = 0; j < weight.size(); ++j) {
      if (!kept(i * heads + h, index_t(j))) continue;
      for (index_t c = 0; c < width; ++c)
        row[c] +=
            weight[j] / sum * dropout.scale() * double(v[(key_start[b] + index_t(j)) * d + h * width + c]);
    }
  }
};

}  // namespace formwork_test
