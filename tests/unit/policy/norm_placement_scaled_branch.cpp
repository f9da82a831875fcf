#include <formwork/policy/norm_placement/scaled_branch.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("scaled_norm: branches see less the higher they stand") {
  placement_reference<scaled_norm> run(decoder_place(2, 6, 6));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return x + run.f(i, 1 / std::sqrt(3.0) * run.norm(at + "norm", x));
  });
}
