// An initialiser in a user's own file: GPT's recipe, which starts the outputs of the branches smaller in
// deep stacks.
#include <doctest/doctest.h>

#include <formwork/policy/init/by_role.hpp>
#include <formwork/policy/init/check.hpp>
#include <formwork/policy/init/depth_scaled.hpp>

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

TEST_CASE("own initialiser: the same numbers as the library's own form of the recipe") {
  for (int r = 0; r <= int(formwork::role::scalar); ++r) {
    if (formwork::role(r) == formwork::role::cross_output) continue;  // GPT has none
    const formwork::parameter_info p{
        .role = formwork::role(r), .stack = formwork::stack_kind::decoder, .decoder_layers = 8};
    CHECK(mine::depth_scaled_normal{}(p, {1, 2}, 3) ==
          doctest::Approx(formwork::depth_scaled{}(p, {1, 2}, 3)).epsilon(1e-14));
  }
}

TEST_CASE("by_role: the lines of docs/policies.md, with an initialiser of one's own among them") {
  constexpr auto init = formwork::checked(formwork::by_role{
      formwork::depth_scaled{}}.with(formwork::xavier_uniform{}, formwork::role::query, formwork::role::key)
                                              .times(0.5, formwork::role::embedding));
  CHECK_NOTHROW(formwork::check_initialiser(init));
  CHECK_NOTHROW(formwork::check_initialiser(init.with(mine::depth_scaled_normal{}, formwork::role::up)));
}
