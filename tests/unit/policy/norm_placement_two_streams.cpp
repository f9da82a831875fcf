#include <formwork/policy/norm_placement/two_streams.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("residual_dual: both streams get the same branch") {
  placement_reference<residual_dual> run(decoder_place(1, 6, 6));
  run.expect([&](const auto& s) {
    row x = s[0], d = s[1];
    const std::string at[] = {"self_attention.norm", "cross_attention.norm", "ffn.norm"};
    for (int i = 0; i < 3; ++i) {
      const row y = run.f(i, x);
      x = run.norm(at[i], x + y);
      d = d + y;
    }
    return std::vector<row>{x, d};
  });
}

TEST_CASE("siamese_norm: two streams, the normalised one gets a share that falls with the depth") {
  placement_reference<siamese_norm> run(decoder_place(3, 6, 6));
  run.expect([&](const auto& s) {
    row x = s[0], y = s[1];
    const std::string at[] = {"self_attention.norm", "cross_attention.norm", "ffn.norm"};
    for (int i = 0; i < 3; ++i) {
      x = run.norm(at[i], x);
      const row z = run.f(i, run.norm(at[i] + "3", x + run.norm(at[i] + "2", y)));
      x = x + 1 / std::sqrt(8.0) * z;
      y = y + z;
    }
    return std::vector<row>{x, y};
  });
}
