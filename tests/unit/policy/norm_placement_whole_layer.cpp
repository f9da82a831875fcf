#include <formwork/policy/norm_placement/whole_layer.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("b2t: the layer's input comes back in front of the last norm") {
  placement_reference<b2t> run(decoder_place(1, 6, 6));
  run.expect([&](const auto& s) {
    row u = run.norm("norm", s[0] + run.f(0, s[0]));
    u = run.norm("norm2", u + run.f(1, u));
    return std::vector<row>{run.norm("norm3", u + run.f(2, u) + s[0])};
  });
}

TEST_CASE("parallel_block: all branches read one norm") {
  placement_reference<parallel_block> run(decoder_place(1, 6, 6));
  run.expect([&](const auto& s) {
    const row n = run.norm("norm", s[0]);
    return std::vector<row>{s[0] + run.f(0, n) + run.f(1, n) + run.f(2, n)};
  });
}
