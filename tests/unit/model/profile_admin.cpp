#include <formwork/model/profile_admin.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/xavier.hpp>

#include "../../support/ragged_batch.hpp"
#include "../../support/small_model.hpp"

using namespace formwork;
using doctest::Approx;

TEST_CASE("profile_admin: factors grow by the variances of the branches below, encoder and decoder apart") {
  auto model = formwork_test::small_model<admin>(3);
  cpu_backend backend(1);
  const formwork_test::ragged_batch batch({{{3, 4, 5, 6, 2}, {5, 4, 3}}, {{8, 2}, {6, 8, 6, 9}}});
  profile_admin(model, backend, batch.pairs());
  const auto omega = [&](const char* name) {
    const auto p = model.parameters().value(name);
    for (index_t i = 1; i < p.rows; ++i) REQUIRE(p.data[i] == p.data[0]);
    return double(p.data[0]);
  };
  const auto figures = observer<decltype(model), tap::branch>(model).figures(backend, batch.pairs());
  REQUIRE(figures.size() == 2 * 2 + 3);
  CHECK(omega("encoder.0.self_attention.omega") == 1);
  CHECK(omega("encoder.0.ffn.omega") == Approx(std::sqrt(1 + figures[0].variance)));
  CHECK(omega("encoder.1.ffn.omega") ==
        Approx(std::sqrt(1 + figures[0].variance + figures[1].variance + figures[2].variance)));
  CHECK(omega("decoder.0.self_attention.omega") == 1);
  CHECK(omega("decoder.0.cross_attention.omega") == Approx(std::sqrt(1 + figures[4].variance)));
  CHECK(omega("decoder.0.ffn.omega") == Approx(std::sqrt(1 + figures[4].variance + figures[5].variance)));
}
