// A published model in, its published outputs out: log-probabilities of given names, greedy and beam search,
// forced prefixes. In single precision, as it was trained.
#include <doctest/doctest.h>

#include <formwork/decode/translator.hpp>

#include <nlohmann/json.hpp>

#include "../support/transliteration_model.hpp"

using namespace formwork;
using namespace formwork_test;
using nlohmann::json;

namespace {

struct published_model {
  symbols source{"source_vocabulary.txt"}, target{"target_vocabulary.txt"};
  encoder_decoder<transliteration> model{{source.size(), target.size()}, [](auto&&...) { return 0.0; }};
  index_t loaded = load_transliteration(model);
  cpu_backend backend{2};

  /// Log-probabilities of the target's symbols and of its end.
  std::vector<double> score(const std::vector<token_t>& from, std::vector<token_t> to) {
    std::vector<token_t> in{begin_token};
    in.insert(in.end(), to.begin(), to.end());
    to.push_back(end_token);
    const index_t source_start[2] = {0, index_t(from.size())}, target_start[2] = {0, index_t(to.size())};
    storage<float> all(index_t(to.size()) * target.size());
    const matrix_view<float> p(all.data(), index_t(to.size()), target.size());
    model.log_probabilities(backend,
                            {from.data(), in.data(), to.data(), {source_start, 1}, {target_start, 1}}, p);
    std::vector<double> out;
    for (index_t t = 0; t < p.rows; ++t) out.push_back(p.row(t)[to[std::size_t(t)]]);
    return out;
  }
  void check_scores(const std::vector<double>& found, const json& expected, double tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t t = 0; t < found.size(); ++t)
      CHECK(std::abs(found[t] - expected[t].get<double>()) < tolerance);
  }
};

}  // namespace

TEST_CASE("transliteration: the file's numbers are the model's parameters, each used once") {
  published_model m;
  CHECK(m.loaded == 182731);
  CHECK(m.model.parameters().size() == m.loaded);
  CHECK(decltype(m.model)::parameter_count(m.model.vocabulary()) == m.loaded);
}

TEST_CASE("transliteration: encoder results and logits of the first case") {
  published_model m;
  const json first = transliteration_cases()[0];
  const safetensors_reader file(transliteration_path("activations-case0.safetensors"));
  const std::vector<float> encoded = file.tensor<float>("encoder_output").values,
                           logits = file.tensor<float>("logits").values;
  const std::vector<token_t> source = m.source.ids(first["source"]);
  const index_t start[2] = {0, index_t(source.size())};
  const matrix_view<float> found = m.model.encode(m.backend, source.data(), {start, 1});
  REQUIRE(found.rows * found.width == index_t(encoded.size()));
  for (std::size_t i = 0; i < encoded.size(); ++i)
    CHECK(found.data[i] == doctest::Approx(encoded[i]).epsilon(1e-5).scale(1));
  const std::vector<token_t> target = m.target.ids(first["target"]);
  const std::vector<double> scores = m.score(source, target);
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const float* row = logits.data() + index_t(t) * m.target.size();
    double sum = 0;
    for (index_t v = 0; v < m.target.size(); ++v) sum += std::exp(double(row[v]));
    CHECK(std::abs(scores[t] - (row[t < target.size() ? target[t] : end_token] - std::log(sum))) < 5e-6);
  }
}

TEST_CASE("transliteration: published log-probabilities to 1e-5") {
  published_model m;
  int compared = 0;
  for (const json& c : transliteration_cases()) {
    if (c["task"] != "score") continue;
    const auto found = m.score(m.source.ids(c["source"]), m.target.ids(c["target"]));
    m.check_scores(found, c["token_logprobs_published"], 1e-5);
    m.check_scores(found, c["token_logprobs"], 2e-6);
    ++compared;
  }
  CHECK(compared == 4);
}

TEST_CASE("transliteration: published greedy and beam translations, with and without a forced prefix") {
  published_model m;
  int compared = 0;
  for (const json& c : transliteration_cases()) {
    const bool decode = c["task"] == "decode";
    if (!decode && c["task"] != "greedy") continue;
    CAPTURE(c.dump());
    const auto source = m.source.ids(c["source"]);
    const auto expected = m.target.ids(c[decode ? "output_published" : "output"]);
    const std::string mode = decode ? c["mode"].get<std::string>() : "greedy";
    std::vector<int> beams;
    if (mode.find("beam 4") != mode.npos)
      beams = {1, 4};
    else if (mode.find("beam 5") != mode.npos)
      beams = {5};
    else
      beams = {1};
    for (const int beam : beams) {
      CAPTURE(beam);
      translator search(m.model, m.backend, {.beam = beam, .alpha = 1, .source_end = false});
      const auto found =
          search.translate({source}, {decode ? m.target.ids(c["prefix"]) : std::vector<token_t>{}});
      REQUIRE((found.size() == 1 && found[0].size() == 1));
      CHECK(found[0][0].tokens == expected);
      CHECK_FALSE(found[0][0].truncated);
      const auto scores = m.score(source, expected);
      CHECK(found[0][0].log_probability ==
            doctest::Approx(std::accumulate(scores.begin(), scores.end(), 0.0)).epsilon(1e-5));
      if (!decode) m.check_scores(scores, c["token_logprobs"], 2e-6);
      ++compared;
    }
  }
  CHECK(compared == 14);
}
