#include <formwork/policy/norm_placement/all.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace formwork;

TEST_CASE("all_placements: products outside of the layers start as the initialiser says") {
  all_placements::each([&](auto placement) {
    using P = typename decltype(placement)::type;
    CHECK(detail::gain_of<P>({.role = role::up, .encoder_layers = 3}) == 1);
  });
}

namespace {
struct first_is_post {  // whatever the depth is
  static constexpr label name = "first_is_post";
  static constexpr bool final_norm = true;
  using lower = deep_norm;
  using upper = pre_norm;
  static constexpr int lower_layers(int) { return 1; }
};
}  // namespace

TEST_CASE("all_placements: what stands outside of the layers belongs to no section") {
  CHECK(detail::gain_of<first_is_post>({.role = role::embedding, .decoder_layers = 3}) == 1);
}

TEST_CASE("all_placements: each is a placement with a name of its own") {
  std::set<std::string> names;
  all_placements::each([&](auto placement) {
    using P = typename decltype(placement)::type;
    static_assert(explain_norm_placement<P>());
    names.insert(std::string(label(P::name)));
  });
  CHECK(int(names.size()) == all_placements::size);
}
