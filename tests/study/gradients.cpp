// Gradients at initialisation: figure 3 of Xiong et al. 2020 and its like for other placements, on random
// tokens. What is expected was measured with an independent implementation (a reverse-mode engine over plain
// arrays).
#include <formwork/core/philox.hpp>
#include <formwork/model/profile_admin.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/norm_placement/all.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../support/ragged_batch.hpp"

using namespace formwork;

namespace {

template <class Placement, int Layers, index_t Width>
struct figure : config {
  static constexpr dims size{
      .d_model = Width, .d_ff = 2 * Width, .heads = 4, .encoder_layers = Layers, .decoder_layers = Layers};
  using placement = Placement;
};

/// 16 pairs of 24 tokens each whose frequencies fall like 1 / rank.
formwork_test::ragged_batch zipf_batch(index_t vocabulary, std::uint64_t seed) {
  std::vector<double> share(std::size_t(vocabulary) - 3);
  double sum = 0;
  for (std::size_t r = 0; r < share.size(); ++r) share[r] = sum += 1 / double(r + 1);
  const random_stream random{seed, 7};
  std::uint64_t drawn = 0;
  const auto sentence = [&](int tokens) {
    formwork_test::sentence s;
    for (int i = 0; i < tokens; ++i) {
      const double u = random.uniform(drawn++) * sum;
      s.push_back(token_t(3 + (std::lower_bound(share.begin(), share.end(), u) - share.begin())));
    }
    return s;
  };
  std::vector<std::pair<formwork_test::sentence, formwork_test::sentence>> pairs;
  for (int b = 0; b < 16; ++b) pairs.emplace_back(sentence(24), sentence(23));
  return formwork_test::ragged_batch(pairs);
}

/// Norms of the gradients of the second feed-forward matrix of each layer, means over seeds and batches.
struct gradient_figure {
  std::vector<double> encoder, decoder;
  double last() const { return decoder.back(); }
  double first() const { return decoder.front(); }
};

template <class Placement, int Layers, index_t Width>
gradient_figure measure(index_t vocabulary, int seeds, int batches) {
  gradient_figure out{std::vector<double>(Layers), std::vector<double>(Layers)};
  cpu_backend backend;
  for (int seed = 1; seed <= seeds; ++seed) {
    encoder_decoder<figure<Placement, Layers, Width>> model(
        {vocabulary, vocabulary}, xavier_uniform{.fairseq_gains = true}, std::uint64_t(seed));
    if constexpr (std::is_same_v<Placement, admin>)
      profile_admin(model, backend, zipf_batch(vocabulary, std::uint64_t(100 * seed + 99)).pairs());
    for (int b = 0; b < batches; ++b) {
      model.parameters().zero_gradients();
      const loss_sums sums =
          model.train(backend, zipf_batch(vocabulary, std::uint64_t(100 * seed + b)).pairs(), {}, {});
      const auto norm = [&](const char* stack, int layer) {
        const auto g = model.parameters().gradient(text(stack, ".", layer, ".ffn.down.weight"));
        double square = 0;
        for (index_t i = 0; i < g.rows * g.width; ++i) square += double(g.data[i]) * double(g.data[i]);
        return std::sqrt(square) / double(sums.tokens) / (seeds * batches);
      };
      for (int l = 0; l < Layers; ++l) {
        out.encoder[std::size_t(l)] += norm("encoder", l);
        out.decoder[std::size_t(l)] += norm("decoder", l);
      }
    }
  }
  return out;
}

template <class Placement>
std::vector<gradient_figure> measure_depths() {
  return {measure<Placement, 6, 256>(2000, 6, 2), measure<Placement, 8, 256>(2000, 6, 2),
          measure<Placement, 10, 256>(2000, 6, 2), measure<Placement, 12, 256>(2000, 6, 2),
          measure<Placement, 14, 256>(2000, 6, 2)};
}

double highest(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
double lowest(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

/// Slope of log(value) over log(depth) by least squares.
double slope(const std::vector<double>& values) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::log(6.0 + 2 * double(i)), y = std::log(values[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double n = double(values.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::string written(const std::vector<double>& v) {
  std::string out;
  for (const double x : v) out += text(x, " ");
  return out;
}

}  // namespace

TEST_CASE("figure 3: Post-LN's last gradient does not depend on the depth, Pre-LN's falls like its root") {
  const auto post = measure_depths<post_norm>(), pre = measure_depths<pre_norm>();
  std::vector<double> post_last, pre_last;
  for (const gradient_figure& f : post) post_last.push_back(f.last());
  for (const gradient_figure& f : pre) pre_last.push_back(f.last());
  MESSAGE("Post-LN, last decoder W2 at 6, 8, ... 14 layers: ", written(post_last));
  MESSAGE("Pre-LN:                                          ", written(pre_last), "slope ", slope(pre_last));
  // A8
  CHECK(lowest(post_last) > 1.3);
  CHECK(highest(post_last) < 1.9);
  CHECK(highest(post_last) < 1.2 * lowest(post_last));
  // A9
  for (std::size_t i = 1; i < pre_last.size(); ++i) CHECK(pre_last[i] < 1.02 * pre_last[i - 1]);
  CHECK(pre_last[0] / pre_last[3] > 1.2);
  CHECK(pre_last[0] / pre_last[3] < 1.5);
  CHECK(slope(pre_last) > -0.55);
  CHECK(slope(pre_last) < -0.30);
  // A10
  CHECK(post_last[0] / pre_last[0] > 2.2);
  CHECK(post_last[0] / pre_last[0] < 3.2);
  CHECK(post_last[4] / pre_last[4] > 3.3);
  // A12: the ramp of Post-LN is an effect of decoders with cross-attention.
  MESSAGE("Post-LN 6+6 decoder by layer: ", written(post[0].decoder));
  for (const std::size_t depth : {0, 3})
    for (std::size_t l = 1; l < post[depth].decoder.size(); ++l)
      CHECK(post[depth].decoder[l] > post[depth].decoder[l - 1]);
  CHECK(post[0].last() / post[0].first() > 2);
  CHECK(post[0].last() / post[0].first() < 5);
  CHECK(post[3].last() / post[3].first() > 7);
  // A13, A14
  CHECK(highest(post[0].encoder) < 1.8 * lowest(post[0].encoder));
  for (const auto& stack : {pre[0].encoder, pre[0].decoder, pre[3].encoder, pre[3].decoder}) {
    CHECK(stack.front() / stack.back() > 1.2);
    CHECK(stack.front() / stack.back() < 2.6);
  }
}

namespace {

/// Expects the last and the first decoder gradient at 6+6 and at 12+12 layers, width 128, within `tolerance`.
template <class Placement>
std::pair<gradient_figure, gradient_figure> expect_variant(double last6, double first6, double last12,
                                                           double first12, double tolerance = 0.15) {
  const gradient_figure six = measure<Placement, 6, 128>(1000, 3, 2),
                        twelve = measure<Placement, 12, 128>(1000, 3, 2);
  CAPTURE(label(Placement::name).view());
  MESSAGE(label(Placement::name).view(), ": ", six.last(), " / ", six.first(), "   ", twelve.last(), " / ",
          twelve.first());
  CHECK(six.last() == doctest::Approx(last6).epsilon(tolerance));
  CHECK(six.first() == doctest::Approx(first6).epsilon(tolerance));
  CHECK(twelve.last() == doctest::Approx(last12).epsilon(tolerance));
  CHECK(twelve.first() == doctest::Approx(first12).epsilon(tolerance));
  return {six, twelve};
}

/// Expects the mean square of the hidden state behind the decoder's last layer.
template <class Placement>
void expect_end(double six, double twelve) {
  const auto end_of = [](auto model) {
    cpu_backend backend;
    observer<decltype(model)> seen(model);
    return seen.figures(backend, zipf_batch(1000, 55).pairs()).back().mean_square;
  };
  const xavier_uniform init{.fairseq_gains = true};
  const double found6 = end_of(encoder_decoder<figure<Placement, 6, 128>>({1000, 1000}, init)),
               found12 = end_of(encoder_decoder<figure<Placement, 12, 128>>({1000, 1000}, init));
  MESSAGE(label(Placement::name).view(), ": end of the decoder's hidden state ", found6, " ", found12);
  CHECK(found6 == doctest::Approx(six).epsilon(0.15));
  CHECK(found12 == doctest::Approx(twelve).epsilon(0.15));
}

}  // namespace

TEST_CASE("gradients at initialisation of the variants") {
  expect_variant<post_norm>(1.21, 0.385, 1.10, 0.074, 0.25);
  const auto [pre6, pre12] = expect_variant<pre_norm>(0.394, 0.560, 0.319, 0.497);
  expect_variant<sandwich_norm>(0.420, 0.617, 0.295, 0.527);
  expect_variant<reordered_norm>(0.415, 0.622, 0.291, 0.525);
  expect_variant<sub_norm>(0.243, 0.582, 0.149, 0.528);
  const auto [deep6, deep12] = expect_variant<deep_norm>(0.300, 0.311, 0.222, 0.224);
  for (const gradient_figure& f : {deep6, deep12})  // A15: flat by construction
    CHECK(highest(f.decoder) < 1.15 * lowest(f.decoder));
  const auto [admin6, admin12] = expect_variant<admin>(0.418, 0.579, 0.316, 0.494);
  CHECK(admin6.last() == doctest::Approx(pre6.last()).epsilon(0.08));  // A16
  CHECK(admin12.last() == doctest::Approx(pre12.last()).epsilon(0.08));
  expect_variant<b2t>(0.552, 0.449, 0.614, 0.284);
  expect_variant<residual_dual>(1.92, 0.661, 1.70, 0.352);
  expect_variant<keel>(0.100, 0.103, 0.053, 0.052);
  expect_variant<scaled_norm>(0.203, 0.561, 0.136, 0.497);
  expect_variant<mix_norm>(0.494, 0.586, 0.354, 0.359);
}

TEST_CASE("hidden states at initialisation of the variants") {
  expect_end<post_norm>(1, 1);
  expect_end<pre_norm>(7.4, 14.0);
  expect_end<sandwich_norm>(18.8, 34.5);
  expect_end<reordered_norm>(20.8, 33.4);
  expect_end<deep_norm>(1, 1);
  expect_end<keel>(1, 1);
  expect_end<scaled_norm>(4.4, 5.8);
  expect_end<mix_norm>(6.3, 14.0);
}
