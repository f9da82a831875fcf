// Speed of complete training steps: forward, backward, clipping norm and Adam, in single precision with
// dropout 0.1. The batches have the shapes of the PyTorch peer (see docs/performance.md): random ids,
// sentence lengths between 90 and 100 % of the longest. Prints the median step, target tokens per second and
// the rate of the matrix products, as a share of the FMA peak measured in the same run. A "target token" is a
// real token: there is no padding to count.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <formwork/model/cost.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/train/trainer.hpp>

#include "peak.hpp"

using namespace formwork;

namespace {

struct tiny : config {
  static constexpr dims size{
      .d_model = 128, .d_ff = 256, .heads = 4, .encoder_layers = 4, .decoder_layers = 4};
  static constexpr tying ties = tying::output;
};
struct iwslt : config {
  static constexpr dims size{
      .d_model = 512, .d_ff = 1024, .heads = 4, .encoder_layers = 6, .decoder_layers = 6};
};

struct shape {
  const char* name;
  index_t vocabulary, sentences, length;
};

parallel_corpus random_corpus(const shape& s, int batches) {
  const random_stream random{7};
  std::uint64_t k = 0;
  parallel_corpus corpus;
  for (index_t i = 0; i < s.sentences * batches; ++i) {
    std::vector<token_t> side[2];
    for (auto& tokens : side) {
      const index_t low = std::max<index_t>(1, s.length * 9 / 10);
      // The end mark comes on top.
      const index_t n = low + index_t(random.below(k++, std::uint64_t(s.length - low + 1))) - 1;
      for (index_t t = 0; t < n; ++t)
        tokens.push_back(4 + token_t(random.below(k++, std::uint64_t(s.vocabulary - 4))));
    }
    corpus.add(side[0], side[1]);
  }
  return corpus;
}

template <class C>
void measure(const shape& s, int threads, int steps, double peak) {
  cpu_backend backend(threads);
  encoder_decoder<C> model({s.vocabulary, s.vocabulary}, xavier_uniform{});
  trainer job(backend, model, adam{.beta2 = 0.98}, constant{1e-4});
  const parallel_corpus corpus = random_corpus(s, 4);
  batch_source source(corpus, {.max_tokens = s.sentences * s.length});
  const training_options options{.steps = 1, .dropout = dropout_rates::usual(0.1)};
  std::vector<double> seconds;
  double tokens = 0, loss = 0;
  for (int i = -3; i < steps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const update_report report = job.update(source, options);
    const double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i < 0) continue;
    seconds.push_back(t / double(report.target_tokens));
    tokens += double(report.target_tokens);
    loss = report.loss;
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2], quick = seconds[seconds.size() / 4];
  const double flops =
      model_cost<encoder_decoder<C>>::training_flops(double(s.length), double(s.length), s.vocabulary);
  std::printf(
      "%-6s %d threads  %9.0f tok/s (quartile %9.0f)  %7.1f ms/step  %6.1f GFLOP/s  %4.1f %% of %.0f"
      "  loss %.3f\n",
      s.name, threads, 1 / median, 1 / quick, median * tokens / double(seconds.size()) * 1e3,
      flops / median * 1e-9, 100 * flops / median * 1e-9 / (peak * threads), peak * threads, loss);
}

}  // namespace

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "all";
  const int threads = argc > 2 ? std::atoi(argv[2]) : available_threads();
  const int steps = argc > 3 ? std::atoi(argv[3]) : 10;
  const double peak = bench::fma_peak_gflops<float>();
  if (std::strcmp(which, "iwslt") != 0) measure<tiny>({"tiny", 6000, 292, 14}, threads, steps, peak);
  if (std::strcmp(which, "tiny") != 0) measure<iwslt>({"iwslt", 10000, 164, 25}, threads, steps, peak);
}
