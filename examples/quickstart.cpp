// Trains a German-English translator in about a minute and translates a sentence that it has never seen.
#include <formwork/formwork.hpp>

struct small : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 64, .d_ff = 256, .heads = 4, .encoder_layers = 2, .decoder_layers = 2};
};

int main() {
  const formwork::embedded_corpus text({.train = 20'000, .valid = 0, .test = 0});
  auto codec = formwork::subword_codec::learn(text.train, 1'000);
  const auto corpus = formwork::encode_parallel_corpus(text.train, std::ref(codec), std::ref(codec));
  formwork::batch_source batches(corpus, {.max_tokens = 2'000});

  formwork::cpu_backend cpu;
  formwork::encoder_decoder<small> model({codec.size(), codec.size()}, formwork::xavier_uniform{});
  formwork::trainer trainer(cpu, model, formwork::adam{.beta2 = 0.98}, formwork::inverse_sqrt{2e-3, 0, 400});
  trainer.run(batches, {}, {.steps = 1'000}, formwork::progress{});

  const char* german = "der Bus aus Warschau kommt um fünf vor halb vier an .";
  std::printf("%s\n%s\n", german, formwork::translate(model, cpu, codec, german).c_str());
}
