// A norm in a user's own file: a struct of one function, made of the library's ops or of an own one.
#include <doctest/doctest.h>

#include <formwork/model/check_norm.hpp>
#include <formwork/model/encoder_decoder.hpp>

#include "../support/user_model.hpp"

namespace mine {

/// LayerNorm with BERT's epsilon.
struct bert_norm {
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name) {
    return formwork::ops::layer_norm(x, name, 1e-12);
  }
};

/// A mixture of RMSNorm and of x itself, the share of each trainable; for heads too.
struct leaky_norm {
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name, int heads = 1) {
    namespace ops = formwork::ops;
    const formwork::expr y = ops::rms_norm(x, join(name, "inner"), 1e-6, heads);
    return ops::scale_by(y, join(name, "share"), 0.9) + ops::scale_by(x, join(name, "rest"), 0.1);
  }
};

struct model : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using norm = leaky_norm;
  using activation = formwork::swiglu;
};
struct llama_like : model {
  using norm = formwork::rms_norm;
};

}  // namespace mine

using namespace formwork;

TEST_CASE("own norm: the public check accepts it") {
  CHECK_NOTHROW(check_norm<mine::bert_norm>());
  CHECK_NOTHROW(check_norm<mine::leaky_norm>());
}

TEST_CASE("own norm: whole layers pass the gradient check, models with it and a gated block learn") {
  formwork_test::gradients_pass<encoder_layer<mine::model>>();
  formwork_test::gradients_pass<decoder_layer<mine::model>>();
  formwork_test::learns_by_heart<mine::model>();
  formwork_test::learns_by_heart<mine::llama_like>();
}
