#include <formwork/decode/translator.hpp>

#include <doctest/doctest.h>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;
using formwork_test::sentence;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 1, .decoder_layers = 2};
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};
using model_type = encoder_decoder<tiny>;

/// A model with large random weights: its distributions are far from even, its translations differ.
model_type make_model(index_t vocabulary, std::uint64_t seed) {
  return {{vocabulary, vocabulary},
          [](const parameter_info& p, const random_stream& r, std::uint64_t i) {
            return (p.role == role::norm_gain ? 1 : 0) + 0.5 * r.normal(i);
          },
          seed};
}

const std::vector<sentence> sources{
    {3, 4, 5, 2}, {8, 2}, {5, 6, 7, 8, 9, 10, 2}, {3, 2}, {9, 9, 4, 2}, {6, 7, 3, 2}, {10, 2}, {4, 5, 2}};

/// Log-probability of each symbol behind `past`, by a whole forward pass.
std::vector<float> next(model_type& model, cpu_backend& backend, const sentence& source,
                        const sentence& past) {
  const auto all = log_probabilities(model, backend, ragged_batch({{source, past}}));
  return {all.end() - std::ptrdiff_t(model.vocabulary().target), all.end()};
}

void same(const std::vector<hypothesis>& a, const std::vector<hypothesis>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].tokens == b[i].tokens);
    CHECK(a[i].log_probability == b[i].log_probability);
    CHECK(a[i].score == b[i].score);
    CHECK(a[i].truncated == b[i].truncated);
  }
}

/// Every translation of at most `longest` symbols, ranked.
std::vector<hypothesis> every_translation(model_type& model, cpu_backend& backend, const sentence& source,
                                          index_t longest, const decode_options& options) {
  std::vector<hypothesis> open{{}}, done;
  for (index_t length = 0; length <= longest; ++length) {
    std::vector<hypothesis> longer;
    for (const hypothesis& h : open) {
      const auto p = next(model, backend, source, h.tokens);
      for (token_t v = 0; v < token_t(p.size()); ++v) {
        hypothesis more = h;
        more.log_probability += double(p[std::size_t(v)]);
        if (v == end_token) {
          more.truncated = length == longest;
          more.score = options.normalised(more.log_probability, length + 1);
          done.push_back(more);
        } else {
          more.tokens.push_back(v);
          longer.push_back(more);
        }
      }
    }
    open = longer;
  }
  std::stable_sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  return done;
}

/// Beam search as it is described, without a cache and for one sentence.
std::vector<hypothesis> plain_search(model_type& model, cpu_backend& backend, const sentence& source,
                                     index_t longest, const decode_options& options) {
  const std::size_t beam = std::size_t(options.beam);
  std::vector<hypothesis> live{{}}, done;
  for (index_t position = 0; !live.empty(); ++position) {
    struct way {
      hypothesis h;
      bool ends;
    };
    std::vector<way> ways;
    for (const hypothesis& h : live) {
      const auto p = next(model, backend, source, h.tokens);
      for (token_t v = 0; v < token_t(p.size()); ++v) {
        if ((position >= longest && v != end_token) || (position < options.min_length && v == end_token))
          continue;
        way w{h, v == end_token};
        w.h.log_probability += double(p[std::size_t(v)]);
        if (!w.ends) w.h.tokens.push_back(v);
        ways.push_back(w);
      }
    }
    std::stable_sort(ways.begin(), ways.end(),
                     [](const way& a, const way& b) { return a.h.log_probability > b.h.log_probability; });
    live.clear();
    for (std::size_t i = 0; i < ways.size() && i < 2 * beam && live.size() < beam; ++i) {
      if (!ways[i].ends)
        live.push_back(ways[i].h);
      else if (i < beam) {
        done.push_back(ways[i].h);
        done.back().truncated = position >= longest;
        done.back().score = options.normalised(done.back().log_probability, position + 1);
      }
    }
    const auto leads = [&](const hypothesis& h) {
      return options.normalised(live[0].log_probability, position + 1) > h.score;
    };
    if (done.size() >= beam && !live.empty() && !std::all_of(done.begin(), done.end(), leads)) live.clear();
  }
  std::stable_sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  done.resize(std::min(done.size(), std::size_t(options.nbest)));
  return done;
}

std::vector<std::vector<hypothesis>> translate(model_type& model, cpu_backend& backend,
                                               const decode_options& options,
                                               const std::vector<sentence>& from = sources) {
  return translator<model_type>(model, backend, options).translate(from);
}

}  // namespace

TEST_CASE("translator: a beam that holds everything finds all translations in order") {
  model_type model = make_model(4, 1);
  cpu_backend backend(2);
  for (const auto& [penalty, alpha] : {std::pair{length_penalty::average, 1.0},
                                       {length_penalty::average, 0.0},
                                       {length_penalty::gnmt, 0.6}}) {
    const decode_options options{.beam = 128,
                                 .nbest = 121,
                                 .penalty = penalty,
                                 .alpha = alpha,
                                 .max_length_factor = 0,
                                 .max_length_extra = 4};
    const sentence source{3, 0, 3, 2};
    const auto found = translate(model, backend, options, {source});
    const auto expected = every_translation(model, backend, source, 4, options);
    REQUIRE(expected.size() == 1 + 3 + 9 + 27 + 81);
    same(found[0], expected);
  }
}

TEST_CASE("translator: beam search equals its description, sentence by sentence") {
  model_type model = make_model(11, 2);
  cpu_backend backend(2);
  for (const int beam : {1, 2, 5, 12})
    for (const index_t shortest : {0, 3}) {
      const decode_options options{
          .beam = beam, .nbest = beam, .max_length_factor = 1, .max_length_extra = 3, .min_length = shortest};
      const auto found = translate(model, backend, options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CAPTURE(beam);
        CAPTURE(i);
        same(found[i], plain_search(model, backend, sources[i],
                                    options.max_length(index_t(sources[i].size()) - 1), options));
      }
    }
}

TEST_CASE("translator: beam 1 takes the likeliest symbol each time") {
  model_type model = make_model(11, 3);
  cpu_backend backend(1);
  const auto found = translate(model, backend, {.beam = 1});
  std::size_t differ = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sentence greedy;
    for (;;) {
      const auto p = next(model, backend, sources[i], greedy);
      const auto best = token_t(std::max_element(p.begin(), p.end()) - p.begin());
      if (best == end_token || greedy.size() == std::size_t(2 * (sources[i].size() - 1) + 20)) break;
      greedy.push_back(best);
    }
    CHECK(found[i][0].tokens == greedy);
    differ += i > 0 && found[i][0].tokens != found[0][0].tokens;
  }
  CHECK(differ > 2);  // the test says something only if translations differ
}

TEST_CASE("translator: the size of the batch changes nothing, not even a bit; order and empty lines stay") {
  model_type model = make_model(11, 4);
  cpu_backend backend(2);
  std::vector<sentence> lines{{2}};
  for (int k = 0; k < 7; ++k) {
    lines.insert(lines.end(), sources.begin(), sources.end());
    lines.push_back(k % 2 ? sentence{2} : sentence{});
  }
  const decode_options all{
      .beam = 4, .nbest = 2, .max_length_factor = 1, .max_length_extra = 5, .batch_tokens = 100000};
  const auto together = translate(model, backend, all, lines);
  REQUIRE(together.size() == lines.size());
  for (const index_t tokens : {1, 25, 230}) {
    decode_options some = all;
    some.batch_tokens = tokens;
    const auto found = translate(model, backend, some, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) same(found[i], together[i]);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() <= 1)
      CHECK((together[i].size() == 1 && together[i][0].tokens.empty()));
    else
      CHECK(together[i].size() == 2);
  }
}

TEST_CASE(
    "translator: a beam wider than the vocabulary with a least length gives different, full translations") {
  model_type model = make_model(6, 5);
  cpu_backend backend(1);
  for (const auto& best :
       translate(model, backend, {.beam = 12, .nbest = 12, .min_length = 1}, {{3, 4, 2}, {5, 2}})) {
    REQUIRE(best.size() == 12);
    for (std::size_t i = 0; i < best.size(); ++i) {
      CHECK(best[i].tokens.size() >= 1);
      if (i > 0) CHECK(best[i - 1].score >= best[i].score);
      for (std::size_t j = 0; j < i; ++j) CHECK(best[i].tokens != best[j].tokens);
    }
  }
}

TEST_CASE("translator: a translation that had to be cut says so") {
  model_type model = make_model(11, 6);
  cpu_backend backend(1);
  const auto cut =
      translate(model, backend, {.beam = 3, .max_length_factor = 0, .max_length_extra = 2, .min_length = 9});
  for (const auto& best : cut) {
    CHECK(best[0].truncated);
    CHECK(best[0].tokens.size() == 2);
  }
}

TEST_CASE("translator: a forced beginning stands in every result and in its score") {
  model_type model = make_model(11, 7);
  cpu_backend backend(1);
  translator<model_type> search(model, backend,
                                {.beam = 3, .nbest = 3, .max_length_factor = 0, .max_length_extra = 4});
  const sentence beginning{7, 3}, long_one{4, 4, 4, 4, 4, 4};
  const auto found = search.translate({sources[0], sources[1], sources[2]}, {beginning, {}, long_one});
  for (const hypothesis& h : found[0]) {
    REQUIRE(h.tokens.size() >= 2);
    CHECK((h.tokens[0] == 7 && h.tokens[1] == 3));
    double sum = 0;
    const auto p = log_probabilities(model, backend, ragged_batch({{sources[0], h.tokens}}));
    for (std::size_t t = 0; t <= h.tokens.size(); ++t)
      sum += p[t * 11 + std::size_t(t < h.tokens.size() ? h.tokens[t] : end_token)];
    CHECK(h.log_probability == doctest::Approx(sum).epsilon(1e-12));
  }
  same(found[1], search.translate({sources[1]})[0]);
  CHECK(found[2][0].tokens == long_one);
  CHECK_THROWS_WITH_AS(search.translate({sources[0]}, {{3, 11}}),
                       "translator: sentence 1 has forced token 11, the vocabulary has 11 entries", error);
  CHECK_THROWS_WITH_AS(search.translate({sources[0], {3, -1, 2}}),
                       "translator: sentence 2 has token -1, the vocabulary has 11 entries", error);
}

TEST_CASE(
    "translator: samples repeat with the seed, do not depend on the batch, and follow the distribution") {
  model_type model = make_model(11, 8);
  cpu_backend backend(2);
  const std::vector<sentence> many(4000, sources[0]);
  const auto p = next(model, backend, sources[0], {});
  for (const auto& [temperature, k] : {std::pair{1.0, 0}, {0.7, 4}}) {
    decode_options options{.beam = 1,
                           .max_length_factor = 0,
                           .max_length_extra = 1,
                           .batch_tokens = 5000,
                           .sample = true,
                           .temperature = temperature,
                           .top_k = k,
                           .seed = 5};
    const auto found = translate(model, backend, options, many);
    std::vector<double> expected, counts(11);
    for (const float x : p) expected.push_back(std::exp(double(x) / temperature));
    std::vector<double> sorted = expected;
    std::sort(sorted.rbegin(), sorted.rend());
    double total = 0;
    for (double& e : expected) total += e = k && e < sorted[std::size_t(k) - 1] ? 0 : e;
    for (const auto& best : found)
      ++counts[std::size_t(best[0].tokens.empty() ? end_token : best[0].tokens[0])];
    double chi_square = 0;
    for (std::size_t v = 0; v < 11; ++v) {
      const double e = expected[v] / total * 4000;
      if (e == 0)
        CHECK(counts[v] == 0);
      else
        chi_square += (counts[v] - e) * (counts[v] - e) / e;
    }
    CHECK(chi_square < 29.6);  // 99.9 % of the distribution with 10 degrees of freedom
    options.batch_tokens = 41;
    const std::vector<sentence> few(many.begin(), many.begin() + 50);
    const auto again = translate(model, backend, options, few);
    for (std::size_t i = 0; i < few.size(); ++i) same(again[i], found[i]);
    options.seed = 6;
    std::size_t differ = 0;
    const auto other = translate(model, backend, options, few);
    for (std::size_t i = 0; i < few.size(); ++i) differ += other[i][0].tokens != again[i][0].tokens;
    CHECK(differ > 5);
  }
}
