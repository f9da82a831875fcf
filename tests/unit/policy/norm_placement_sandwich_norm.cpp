#include <formwork/policy/norm_placement/sandwich_norm.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::encoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;

TEST_CASE("sandwich_norm, peri_norm, reordered_norm: the equations") {
  placement_reference<sandwich_norm> sandwich(decoder_place(1, 6, 6));
  sandwich.expect_each([&](int i, const std::string& at, const row& x) {
    return x + sandwich.norm(at + "norm2", sandwich.f(i, sandwich.norm(at + "norm", x)));
  });
  placement_reference<peri_norm> peri(decoder_place(1, 6, 6));
  peri.expect_each([&](int i, const std::string& at, const row& x) {
    return x + peri.norm(at + "norm2", peri.f(i, peri.norm(at + "norm", x)));
  });
  placement_reference<reordered_norm> reordered(decoder_place(1, 6, 6));
  reordered.expect_each([&](int i, const std::string& at, const row& x) {
    return x + reordered.norm(at + "norm", reordered.f(i, x));
  });
}

TEST_CASE("keel: the equation; alpha counts sub-layers") {
  placement_reference<keel> run(decoder_place(1, 4, 5));
  run.expect_each([&](int i, const std::string& at, const row& x) {
    return run.norm(at + "norm2", 15 * x + run.f(i, run.norm(at + "norm", x)));
  });
  placement_reference<basic_keel<&count_layers>> layers(decoder_place(1, 4, 5));
  layers.expect_each([&](int i, const std::string& at, const row& x) {
    return layers.norm(at + "norm2", 5 * x + layers.f(i, layers.norm(at + "norm", x)));
  });
  CHECK(count_sublayers(encoder_place(0, 4, 5)) == 8);
  CHECK(count_sublayers(decoder_place(0, 0, 5)) == 10);
}
