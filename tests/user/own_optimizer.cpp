// An optimizer in a user's own file: it derives from nothing and registers nowhere.
#include <doctest/doctest.h>

#include <formwork/core/math.hpp>
#include <formwork/policy/optimizer/check.hpp>

namespace mine {

/// Moves each weight by the learning rate against the sign of a running mean of its gradient.
struct sign_momentum {
  static constexpr formwork::label name = "sign_momentum";
  static constexpr int moments = 1;
  double mu = 0.9;

  double prepare(const formwork::update_info& u) const { return u.lr; }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 1>& mean, double lr) const {
    mean[0] = V(mu) * mean[0] + V(1 - mu) * g;
    w = w - V(lr) * formwork::sign(mean[0]);
  }
};
static_assert(formwork::explain_optimizer<sign_momentum>());

}  // namespace mine

TEST_CASE("own optimizer: the public check accepts it") {
  CHECK_NOTHROW(formwork::check_optimizer(mine::sign_momentum{}));
}

TEST_CASE("own optimizer: the size of a step is the learning rate") {
  double w = 1;
  std::array<double, 1> mean{};
  const mine::sign_momentum policy;
  policy.update(w, 1e-6, mean, policy.prepare({.step = 1, .lr = 0.25, .decays = false}));
  CHECK(w == 0.75);
}
