#include <formwork/policy/norm_placement/tapped.hpp>

#include <formwork/policy/norm_placement/deep_norm.hpp>
#include <formwork/policy/norm_placement/whole_layer.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

static_assert(streams_of<tapped<pre_norm, tap::state>> == 4);
static_assert(tapped<deep_norm, tap::branch>::final_norm == deep_norm::final_norm);

TEST_CASE("tapped: the layer's result and, behind it, each branch") {
  placement_reference<tapped<post_norm, tap::branch>> run(decoder_place(1, 6, 6));
  run.expect([&](const auto& s) {
    std::vector<row> out{s[0]};
    const std::string at[] = {"self_attention.norm", "cross_attention.norm", "ffn.norm"};
    for (int i = 0; i < 3; ++i) {
      out.push_back(run.f(i, out[0]));
      out[0] = run.norm(at[i], out[0] + out.back());
    }
    return out;
  });
  placement_reference<tapped<b2t, tap::branch>> whole(decoder_place(1, 6, 6));
  whole.expect([&](const auto& s) {
    const row a = whole.f(0, s[0]), u = whole.norm("norm", s[0] + a);
    const row b = whole.f(1, u), v = whole.norm("norm2", u + b);
    const row c = whole.f(2, v);
    return std::vector<row>{whole.norm("norm3", v + c + s[0]), a, b, c};
  });
}

TEST_CASE("tapped: the state behind each sub-layer") {
  placement_reference<tapped<pre_norm, tap::state>> run(decoder_place(1, 6, 6));
  run.expect([&](const auto& s) {
    std::vector<row> out{s[0]};
    const std::string at[] = {"self_attention.norm", "cross_attention.norm", "ffn.norm"};
    for (int i = 0; i < 3; ++i) {
      out[0] = out[0] + run.f(i, run.norm(at[i], out[0]));
      out.push_back(out[0]);
    }
    return out;
  });
}
