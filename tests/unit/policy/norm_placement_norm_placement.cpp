#include <formwork/policy/norm_placement/norm_placement.hpp>

#include <doctest/doctest.h>

#include <formwork/ops/fusions.hpp>
#include <formwork/ops/layer_norm.hpp>

#include <string>

using namespace formwork;

namespace {

struct two_streams {
  static constexpr label name = "two_streams";
  static constexpr bool final_norm = false;
  static constexpr int streams = 2;
  static constexpr std::array<expr, 2> layer(std::array<expr, 2> s, auto, auto... f) {
    ((s[0] = s[0] + f(s[0])), ...);
    return s;
  }
};
struct no_equation {
  static constexpr label name = "no_equation";
  static constexpr bool final_norm = false;
};

struct counting : pre_norm {
  static double start(const parameter_info& p, index_t i) { return p.start + double(i); }
};
struct counting_above {
  static constexpr label name = "counting_above";
  static constexpr bool final_norm = true;
  using lower = pre_norm;
  using upper = counting;
  static constexpr int lower_layers(int) { return 1; }
};

/// The ops of a block in the order of the table, f a product.
template <class Placement>
std::string ops_of() {
  graph g{};
  const expr x = stream_input(g, 4, axis::source);
  const auto f = [](expr y) { return ops::linear(y, 4, "f", role::up); };
  Placement::block(x, f, [](expr y) { return ops::layer_norm(y, "norm"); });
  std::string out;
  for (int i = 1; i < g.count; ++i) {
    out += g[i].op->name.view();
    for (const short k : g[i].in)
      if (k >= 0) out += " " + std::to_string(k);
    out += "; ";
  }
  return out;
}

}  // namespace

static_assert(explain_norm_placement<post_norm>() && explain_norm_placement<pre_norm>());
static_assert(norm_placement<two_streams> && !norm_placement<no_equation> && !norm_placement<int>);
static_assert(streams_of<two_streams> == 2 && streams_of<pre_norm> == 1);
static_assert(pre_norm::final_norm && !post_norm::final_norm,
              "post_norm's last output is normalised already");

TEST_CASE("norm placements: the two shipped equations") {
  CHECK(ops_of<post_norm>() == "linear 0; add 0 1; layer_norm 2; ");
  CHECK(ops_of<pre_norm>() == "layer_norm 0; linear 1; add 0 2; ");
}

TEST_CASE("norm placements: a placement, or its section, says where single numbers start") {
  CHECK(!detail::start_of<pre_norm>());
  parameter_info p{.role = role::scalar, .start = 0.5, .stack = stack_kind::encoder, .encoder_layers = 2};
  CHECK(detail::start_of<counting>()(p, 3) == 3.5);
  CHECK(detail::start_of<counting_above>()(p, 3) == 0.5);
  p.layer = 1;
  CHECK(detail::start_of<counting_above>()(p, 3) == 3.5);
}
