#include <formwork/policy/norm_placement/mix_norm.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::placement_reference;

TEST_CASE("mix_norm: a quarter of the layers, rounded up, is the lower section") {
  CHECK(mix_norm::lower_layers(12) == 3);
  CHECK(mix_norm::lower_layers(6) == 2);
  CHECK(mix_norm::lower_layers(1) == 1);
  CHECK(detail::lower_layers<mix_norm>(24) == 6);
  CHECK(detail::lower_layers<pre_norm>(24) == 24);
}
