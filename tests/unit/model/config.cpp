#include <formwork/model/config.hpp>

#include <doctest/doctest.h>

#include <formwork/model/layers.hpp>

#include <type_traits>

using namespace formwork;

namespace {

struct own : config {
  static constexpr dims size{.d_model = 12, .heads = 3};
  using placement = post_norm;
};
struct own_op {
  static constexpr label name = "own";
};
struct own_dialect : dialect {
  using ops = dialect::ops::extend<own_op>;
};

}  // namespace

// A configuration names what differs; the rest is the published base model with its norms in front.
static_assert(check_config<config>() && check_config<own>());
static_assert(config::size.d_model == 512 && config::size.d_ff == 2048 && config::size.heads == 8);
static_assert(config::size.encoder_layers == 6 && config::size.decoder_layers == 6);
static_assert(own::size.d_ff == 2048 && own::size.decoder_layers == 6 && own::ties == tying::all &&
              !own::output_bias);
static_assert(std::is_same_v<own::placement, post_norm> && std::is_same_v<own::norm, layer_norm>);
static_assert(std::is_same_v<config::placement, pre_norm> && std::is_same_v<own::precision::scalar, float>);

TEST_CASE("config: the library's ops know each activation, and take a user's op beside them") {
  using kernels = element_kernels<float>;
  for (const op_record* r : {&record_of<elementwise_op<relu>>, &record_of<elementwise_op<gelu>>,
                             &record_of<elementwise_op<gelu_tanh>>, &record_of<elementwise_op<silu>>}) {
    const kernels k = dialect::ops::element<float>(r);
    CHECK((k.apply != nullptr && k.scale_by_slope != nullptr));
  }
  CHECK((own_dialect::ops::element<float>(&record_of<own_op>).apply == nullptr));
  CHECK(own_dialect::fusions.size() == standard_fusions.size());
}
