// Placements of several streams learn, and decode what they learned.
#include <formwork/policy/norm_placement/hyper_connections.hpp>

#include <doctest/doctest.h>

#include "../support/user_model.hpp"

using namespace formwork;

namespace {

template <class P>
struct small : config {
  static constexpr dims size{
      .d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 2, .decoder_layers = 2};
  using placement = P;
  using precision = fp64;
};

}  // namespace

TEST_CASE_TEMPLATE("streams: steps with a cache say what one whole pass says", P, hyper_connections_static,
                   hyper_connections, manifold_hyper_connections) {
  formwork_test::learns_by_heart<small<P>>();
}
