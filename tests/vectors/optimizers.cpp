#include <doctest/doctest.h>

#include <formwork/io/safetensors.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/radam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

#include "../support/shared.hpp"

using namespace formwork;

namespace {

// 30 updates of 24 weights by given gradients, in double precision, against PyTorch 1.13.
template <class Optimizer>
void check_trajectory(const std::string& name, const Optimizer& policy, double lr) {
  CAPTURE(name);
  const safetensors_reader file(
      formwork_test::shared_path("data/vectors-transformer/optimizers.safetensors"));
  std::vector<double> w = file.tensor<double>("p0").values;
  const std::vector<double> grads = file.tensor<double>("grads").values;
  const std::vector<double> expected = file.tensor<double>("trajectory." + name).values;
  REQUIRE(w.size() == 24);
  REQUIRE(grads.size() == 30 * 24);
  REQUIRE(expected.size() == grads.size());
  std::vector<std::array<double, std::size_t(Optimizer::moments)>> state(w.size());
  for (std::size_t t = 0; t < 30; ++t) {
    const auto prepared = policy.prepare({.step = step_t(t) + 1, .lr = lr, .decays = true});
    for (std::size_t i = 0; i < w.size(); ++i) {
      policy.update(w[i], grads[t * 24 + i], state[i], prepared);
      CHECK(w[i] == doctest::Approx(expected[t * 24 + i]).epsilon(1e-10).scale(0));
    }
  }
}

}  // namespace

TEST_CASE("optimizers: 30 updates equal PyTorch's") {
  check_trajectory("sgd", plain_sgd{}, 0.05);
  check_trajectory("sgd", sgd{}, 0.05);
  check_trajectory("sgd_momentum", sgd{.momentum = 0.9}, 0.05);
  check_trajectory("sgd_nesterov", sgd{.momentum = 0.9, .nesterov = true}, 0.05);
  check_trajectory("adam_b098", adam{.beta2 = 0.98}, 1e-2);
  check_trajectory("adam_l2", adam{.l2 = 0.01}, 1e-2);
  check_trajectory("adamw", adamw{.epsilon = 1e-6, .weight_decay = 0.1}, 1e-2);
  check_trajectory("radam", radam{}, 1e-2);
}
