// A budget in a user's own file: the lines of docs/policies.md, checked by the compiler.
#include <formwork/model/cost.hpp>
#include <formwork/model/decoder.hpp>
#include <formwork/model/encoder.hpp>
#include <formwork/policy/optimizer/adam.hpp>

namespace mine {

struct language_model : formwork::config {
  static constexpr formwork::dims size{.d_model = 256, .d_ff = 1024, .heads = 4, .decoder_layers = 6};
};
using cost = formwork::model_cost<formwork::decoder<language_model>>;
static_assert(cost::parameters(8000) < 7'000'000);               // a vocabulary of 8,000
static_assert(cost::training_flops(0, 512, 8000) < 46'000'000);  // for each token of texts of 512
static_assert(cost::training_bytes<formwork::adamw>(8000, 0, 4096) < 450'000'000);  // batches of 4,096 tokens

// The same questions to the other two models: two vocabularies; tokens that are read and predicted.
static_assert(formwork::model_cost<formwork::encoder_decoder<language_model>>::parameters({8000, 8000}) <
              13'200'000);
static_assert(formwork::model_cost<formwork::encoder<language_model>>::training_flops(128, 20, 8000) <
              33'000'000);

}  // namespace mine
