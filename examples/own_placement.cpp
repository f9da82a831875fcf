// A norm placement of one's own: the sandwich, a norm before and behind each branch. One equation is all.
#include <formwork/formwork.hpp>

struct sandwich {
  static constexpr formwork::label name = "sandwich";
  static constexpr bool final_norm = true;  // one more norm behind the last layer
  static constexpr formwork::expr block(formwork::expr x, auto f, auto norm) { return x + norm(f(norm(x))); }
};

struct small : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 32, .d_ff = 64, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using placement = sandwich;
};

int main() {
  const formwork::embedded_corpus text({.train = 4'000, .valid = 200, .test = 0});
  auto codec = formwork::subword_codec::learn(text.train, 500);
  const auto train = formwork::encode_parallel_corpus(text.train, std::ref(codec), std::ref(codec));
  const auto valid = formwork::encode_parallel_corpus(text.valid, std::ref(codec), std::ref(codec));
  formwork::batch_source batches(train, {.max_tokens = 1'000});

  formwork::cpu_backend cpu;
  formwork::encoder_decoder<small> model({codec.size(), codec.size()}, formwork::xavier_uniform{});
  std::printf("one layer of the decoder:\n%s",
              formwork::equations_of(formwork::decoder_layer<small>::graph).c_str());

  formwork::trainer trainer(cpu, model, formwork::adam{.beta2 = 0.98}, formwork::constant{3e-3});
  const double before = trainer.evaluate(valid, 1'000).loss;
  trainer.run(batches, valid, {.steps = 400}, formwork::progress{});
  const double after = trainer.evaluate(valid, 1'000).loss;
  std::printf("validation loss %.3f, before training %.3f\n", after, before);
  return after < 0.6 * before ? 0 : 1;
}
