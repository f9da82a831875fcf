#pragma once
#include <doctest/doctest.h>

#include <formwork/model/layer_run.hpp>
#include <formwork/model/layers.hpp>

#include "random_fill.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace formwork_test {

using formwork::expr;
using formwork::index_t;
using formwork::label;

constexpr formwork::layer_place encoder_place(int layer, int encoder_layers, int decoder_layers) {
  return {formwork::stack_kind::encoder, layer, encoder_layers, decoder_layers};
}
constexpr formwork::layer_place decoder_place(int layer, int encoder_layers, int decoder_layers) {
  return {formwork::stack_kind::decoder, layer, encoder_layers, decoder_layers};
}

/// A row of numbers with the arithmetic that equations of placements are written in.
struct row_of_numbers {
  std::vector<double> v;

  friend row_of_numbers operator+(row_of_numbers a, const row_of_numbers& b) {
    for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] += b.v[i];
    return a;
  }
  friend row_of_numbers operator*(double c, row_of_numbers a) {
    for (double& x : a.v) x *= c;
    return a;
  }
  friend row_of_numbers operator*(const row_of_numbers& c, row_of_numbers a) {
    for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] *= c.v[i];
    return a;
  }
};

template <class P>
struct placement_config : formwork::config {
  static constexpr formwork::dims size{.d_model = 6, .d_ff = 8, .heads = 2};
  using placement = P;
};

/// A layer of placement P whose three sub-layers are f0, f1, f2: y = x W^T + b each.
template <class P>
struct linear_layer {
  static constexpr formwork::graph graph = [] {
    using formwork::sublayer;
    formwork::graph g{};
    constexpr std::size_t S = std::size_t(formwork::streams_of<P>);
    std::array<expr, S> x{};
    for (expr& s : x) s = formwork::stream_input(g, 6, formwork::axis::target);
    const auto f = [](label name) {
      return [name](expr y) { return formwork::ops::linear(y, 6, name, formwork::role::up); };
    };
    x = formwork::detail::place_sublayers<placement_config<P>>(
        x, {sublayer::self_attention, sublayer::cross_attention, sublayer::feed_forward}, f("f0"), f("f1"),
        f("f2"));
    formwork::detail::set_outputs(g, x);
    return g;
  }();
};

/// One row through such a layer, by the library and by an equation over plain numbers that is written a
/// second time in the test. `place` is where the layer stands.
template <class P>
class placement_reference {
 public:
  using rows = std::vector<row_of_numbers>;  // one for each stream

  explicit placement_reference(formwork::layer_place place)
      : run_(std::vector<index_t>{}, std::vector<index_t>{1}) {
    run_.pass.place = place;
    fill_normal(run_.parameters());
    for (int s = 0; s < formwork::streams_of<P>; ++s) {
      fill_normal(run_.input(s), std::uint64_t(s) + 3);
      start_.push_back({std::vector<double>(run_.input(s).data, run_.input(s).data + 6)});
    }
  }

  row_of_numbers parameter(std::string_view name) {
    const auto p = run_.parameters().value(name);
    return {std::vector<double>(p.data, p.data + p.rows)};
  }
  /// The LayerNorm of this name.
  row_of_numbers norm(const std::string& name, const row_of_numbers& x) {
    double mean = 0, square = 0;
    for (const double a : x.v) mean += a / 6;
    for (const double a : x.v) square += (a - mean) * (a - mean) / 6;
    row_of_numbers y = x;
    for (double& a : y.v) a = (a - mean) / std::sqrt(square + 1e-5);
    return parameter(name + ".gain") * y + parameter(name + ".bias");
  }
  /// x W^T, W the matrix of this name.
  row_of_numbers product(const std::string& name, const row_of_numbers& x) {
    const auto weight = run_.parameters().value(name);
    row_of_numbers y{std::vector<double>(std::size_t(weight.rows))};
    for (index_t r = 0; r < weight.rows; ++r)
      for (index_t c = 0; c < weight.width; ++c)
        y.v[std::size_t(r)] += weight.row(r)[c] * x.v[std::size_t(c)];
    return y;
  }
  row_of_numbers f(int i, const row_of_numbers& x) {
    return product(formwork::text("f", i, ".weight"), x) + parameter(formwork::text("f", i, ".bias"));
  }

  /// The library's result is that of `equation`.
  void expect(const std::function<rows(const rows&)>& equation) {
    run_.forward();
    const rows expected = equation(start_);
    for (int s = 0; s < formwork::streams_of<P>; ++s)
      for (std::size_t c = 0; c < 6; ++c)
        CHECK(run_.output(s).data[c] == doctest::Approx(expected[std::size_t(s)].v[c]).epsilon(1e-12));
  }
  /// The same for the equation of one sub-layer of one stream: equation(i, prefix, x).
  void expect_each(
      const std::function<row_of_numbers(int, const std::string&, const row_of_numbers&)>& equation) {
    expect([&](const rows& start) {
      const std::string prefix[] = {"self_attention.", "cross_attention.", "ffn."};
      row_of_numbers x = start[0];
      for (int i = 0; i < 3; ++i) x = equation(i, prefix[i], x);
      return rows{x};
    });
  }

 private:
  formwork::layer_run<linear_layer<P>> run_;
  rows start_;
};

}  // namespace formwork_test
