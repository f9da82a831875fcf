// A model and its trainer, LAYERS layers in each stack.
// Compile time and symbols must not grow with the depth.
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/trainer.hpp>

struct deep : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 64, .d_ff = 256, .heads = 4, .encoder_layers = LAYERS, .decoder_layers = LAYERS};
};

void train(formwork::batch_source& batches) {
  formwork::cpu_backend cpu;
  formwork::encoder_decoder<deep> model({1000, 1000}, formwork::xavier_uniform{});
  formwork::trainer trainer(cpu, model, formwork::adam{}, [](formwork::step_t) { return 1e-3; });
  trainer.run(batches, {}, {.steps = 100});
}
