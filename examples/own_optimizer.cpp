// An optimizer of one's own: sign descent with momentum. It derives from nothing and registers nowhere.
#include <formwork/formwork.hpp>

struct sign_momentum {
  static constexpr formwork::label name = "sign_momentum";
  static constexpr int moments = 1;  // numbers that are kept for each weight
  double mu = 0.9;

  double prepare(const formwork::update_info& u) const { return u.lr; }  // once for each update

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 1>& mean, double lr) const {  // for each weight
    mean[0] = V(mu) * mean[0] + V(1 - mu) * g;
    w = w - V(lr) * formwork::sign(mean[0]);
  }
};

struct small : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 32, .d_ff = 64, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};

int main() {
  formwork::check_optimizer(sign_momentum{});  // throws a sentence if a rule is broken
  const formwork::embedded_corpus text({.train = 4'000, .valid = 200, .test = 0});
  auto codec = formwork::subword_codec::learn(text.train, 500);
  const auto train = formwork::encode_parallel_corpus(text.train, std::ref(codec), std::ref(codec));
  const auto valid = formwork::encode_parallel_corpus(text.valid, std::ref(codec), std::ref(codec));
  formwork::batch_source batches(train, {.max_tokens = 1'000});

  formwork::cpu_backend cpu;
  formwork::encoder_decoder<small> model({codec.size(), codec.size()}, formwork::xavier_uniform{});
  formwork::trainer trainer(cpu, model, sign_momentum{}, formwork::constant{1e-3});
  const double before = trainer.evaluate(valid, 1'000).loss;
  trainer.run(batches, valid, {.steps = 400}, formwork::progress{});
  const double after = trainer.evaluate(valid, 1'000).loss;
  std::printf("validation loss %.3f, before training %.3f\n", after, before);
  return after < 0.6 * before ? 0 : 1;
}
