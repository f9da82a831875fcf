// A norm, an activation and two position codes in a user's own file.
#include <doctest/doctest.h>

#include <formwork/model/encoder_decoder.hpp>

#include <cmath>

#include "../support/user_model.hpp"

namespace mine {

/// LayerNorm with another epsilon: one line.
struct coarse_norm {
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name) {
    return formwork::ops::layer_norm(x, name, 1e-2);
  }
};

/// x^3 / (1 + x^2): smooth, odd, and its derivative is nobody's business.
struct bend {
  static constexpr formwork::label name = "bend";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return x * x * x / (formwork::scalar_of<V>(1) + x * x);
  }
};

struct dialect : formwork::dialect {
  using ops = formwork::dialect::ops::extend<formwork::elementwise_op<bend>>;
};

/// A fixed code: the first column falls with the position.
struct decay {
  static double code(formwork::index_t position, formwork::index_t column, formwork::index_t) {
    return column == 0 ? std::exp(-0.5 * double(position)) : 0;
  }
};

/// A trainable table of 9 rows behind a factor.
struct scaled_table {
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name) {
    return 2.0 * formwork::ops::learned_position(0.5 * x, 9, join(name, "table"));
  }
};

struct model : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using norm = coarse_norm;
  using activation = bend;
  using position = decay;
  using dialect = mine::dialect;
};
struct trained : model {
  using position = scaled_table;
};

}  // namespace mine

using namespace formwork;

TEST_CASE("own parts: layers with an own norm, activation and position code pass the gradient check") {
  formwork_test::gradients_pass<encoder_layer<mine::model>, mine::dialect>();
  formwork_test::gradients_pass<decoder_layer<mine::model>, mine::dialect>();
  CHECK(formwork_test::gradients_pass<embedding_layer<mine::trained, axis::target>, mine::dialect>() == 2);
}

TEST_CASE("own parts: models with them learn and translate") {
  formwork_test::learns_by_heart<mine::model>();
  encoder_decoder<mine::trained> model({5, 5}, xavier_uniform{});
  cpu_backend backend(1);
  const formwork_test::ragged_batch longest({{{3, 2}, formwork_test::sentence(8, 4)}}),
      too_long({{{3, 2}, formwork_test::sentence(9, 4)}});
  CHECK_NOTHROW(model.train(backend, longest.pairs(), {}, {}));
  CHECK_THROWS_WITH_AS(model.train(backend, too_long.pairs(), {}, {}), doctest::Contains("10"), error);
}
