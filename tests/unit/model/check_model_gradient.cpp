#include <formwork/model/check_model_gradient.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

/// The loss sum(w^3) for a batch of nothing, whose gradient is off by `error` in one element of one
/// parameter.
struct cubes {
  using scalar = double;
  using backend_type = cpu_backend;

  explicit cubes(double error) : error(error) {
    graph g{};
    declare(g, {.name = "a", .role = role::up, .rows = 3, .columns = 2});
    declare(g, {.name = "b", .role = role::bias, .rows = 4});
    store.declare(g, "", {}, 1, 1);
    store.initialise([](auto&&...) { return 0.0; }, 1);
  }
  parameter_store<double>& parameters() { return store; }
  loss_sums evaluate(cpu_backend&, int, const smoothed_cross_entropy&) {
    loss_sums sums;
    for (index_t i = 0; i < store.size(); ++i) sums.loss += std::pow(store.values()[i], 3);
    return sums;
  }
  loss_sums train(cpu_backend& backend, int batch, const smoothed_cross_entropy& loss, int) {
    for (index_t i = 0; i < store.size(); ++i)
      store.gradients()[i] += 3 * std::pow(store.values()[i], 2) + (i == 8 ? error : 0);
    return evaluate(backend, batch, loss);
  }

  parameter_store<double> store;
  double error;
};

std::vector<gradient_check> checked(double error) {
  cubes model(error);
  cpu_backend backend(1);
  return check_model_gradient(model, backend, 0);
}

}  // namespace

TEST_CASE("check_model_gradient: right gradients pass, a wrong one is found under its name") {
  for (const gradient_check& c : checked(0)) CHECK(c.passed());
  const auto wrong = checked(1e-4);
  REQUIRE(wrong.size() == 2);
  CHECK(wrong[0].name == "a");
  CHECK(wrong[0].passed());
  CHECK(wrong[1].name == "b");
  CHECK(!wrong[1].passed());
}
