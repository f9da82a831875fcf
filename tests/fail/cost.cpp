// expect[1]: "model_cost: give it an encoder_decoder, a decoder or an encoder of your configuration"
// expect[2]: "optimizer_bytes: this optimizer treats shapes or roles differently; call "
// expect[3]: "optimizer: add 'static constexpr formwork::label name"
#include <formwork/model/cost.hpp>
#include <formwork/model/decoder.hpp>
#include <formwork/policy/optimizer/muon.hpp>

struct tiny : formwork::config {
  static constexpr formwork::dims size{.d_model = 8, .d_ff = 12, .heads = 2, .decoder_layers = 1};
};
struct nothing {};

#if CASE == 1
static_assert(formwork::model_cost<tiny>::activation_bytes(0, 10) > 0);
#endif

using cost = formwork::model_cost<formwork::decoder<tiny>>;

#if CASE == 2
static_assert(cost::optimizer_bytes<formwork::muon>(11) > 0);
#elif CASE == 3
static_assert(cost::optimizer_bytes<nothing>(11) > 0);
#else
static_assert(cost::optimizer_bytes<formwork::adamw>(11) > 0);
#endif
