// An initialiser in a user's own file: GPT's recipe, which starts the outputs of the branches smaller in
// deep stacks.
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>
#include <formwork/policy/init/normal.hpp>

namespace mine {

struct depth_scaled_normal {
  double stddev = 0.02;

  double operator()(const formwork::parameter_info& p, const formwork::random_stream& r,
                    std::uint64_t i) const {
    const bool ends_branch = p.role == formwork::role::output || p.role == formwork::role::down;
    const double scale = ends_branch ? 1 / std::sqrt(2.0 * p.decoder_layers) : 1;
    return scale * formwork::normal{stddev}(p, r, i);
  }
};
static_assert(formwork::explain_initialiser<depth_scaled_normal>());

}  // namespace mine

TEST_CASE("own initialiser: the public check accepts it") {
  CHECK_NOTHROW(formwork::check_initialiser(mine::depth_scaled_normal{}));
}

TEST_CASE("own initialiser: the outputs of the branches are smaller, the rest is not") {
  using formwork::role;
  const formwork::random_stream r{1, 2};
  const mine::depth_scaled_normal deep;
  CHECK(deep({.role = role::down, .decoder_layers = 8}, r, 3) ==
        doctest::Approx(0.25 * deep({.role = role::up, .decoder_layers = 8}, r, 3)));
  CHECK(deep({.role = role::norm_gain, .decoder_layers = 8}, r, 3) == 1);
}
