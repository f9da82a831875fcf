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
  formwork::attention_form form{};
  formwork::storage<T> q, k, v, out, lse, dout, dq, dk, dv;

  attention_case(const std::vector<index_t>& queries, const std::vector<index_t>& keys, index_t heads,
                 index_t width, formwork::attention_form form = {})
      : heads(heads), width(width), scale(1 / std::sqrt(double(width))), form(form) {
    for (const index_t n : queries) query_start.push_back(query_start.back() + n);
    for (const index_t n : keys) key_start.push_back(key_start.back() + n);
    const index_t d = heads * width, tokens = query_start.back(), sources = key_start.back(),
                  of_keys = key_heads() * width;
    q = normal_numbers<T>(tokens * d, 1);
    k = normal_numbers<T>(sources * of_keys, 2);
    v = normal_numbers<T>(sources * of_keys, 3);
    dout = normal_numbers<T>(tokens * d, 4);
    out.resize(tokens * d), dq.resize(tokens * d), lse.resize(tokens * heads);
    dk.resize(sources * of_keys), dv.resize(sources * of_keys);
  }

  index_t key_heads() const { return form.key_heads ? form.key_heads : heads; }

  formwork::matrix_view<T> query_view(formwork::storage<T>& s) {
    return {s.data(), query_start.back(), heads * width};
  }
  formwork::matrix_view<T> key_view(formwork::storage<T>& s) {
    return {s.data(), key_start.back(), key_heads() * width};
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
            dropout,
            form};
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
  /// The equation of one row: softmax over the keys that it sees of cap tanh(scale q k / cap) - slope distance.
  void expect_row(std::size_t b, index_t i, index_t h, double* row) const {
    const index_t d = heads * width, keys = key_start[b + 1] - key_start[b];
    const index_t place = i - query_start[b] + keys - (query_start[b + 1] - query_start[b]);
    const index_t of_keys = key_heads() * width, first = h / (heads / key_heads()) * width;
    std::vector<index_t> seen;
    std::vector<double> weight;
    double largest = -1e300, sum = 0;
    for (index_t j = 0; j < keys; ++j) {
      const double distance = std::fabs(double(place - j));
      if ((causal && j > place) || (form.window && distance > double(form.window))) continue;
      double s = 0;
      for (index_t c = 0; c < width; ++c)
        s += double(q[i * d + h * width + c]) * double(k[(key_start[b] + j) * of_keys + first + c]);
      s *= scale;
      if (form.cap > 0) s = form.cap * std::tanh(s / form.cap);
      if (form.distance_bias) s -= formwork::cpu::distance_slope(h, heads) * distance;
      seen.push_back(j);
      weight.push_back(s);
      largest = s > largest ? s : largest;
    }
    for (double& w : weight) sum += w = std::exp(w - largest);
    for (std::size_t n = 0; n < weight.size(); ++n) {
      if (!kept(i * heads + h, seen[n])) continue;
      for (index_t c = 0; c < width; ++c)
        row[c] +=
            weight[n] / sum * dropout.scale() * double(v[(key_start[b] + seen[n]) * of_keys + first + c]);
    }
  }
};

}  // namespace formwork_test
