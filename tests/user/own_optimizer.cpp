// Optimizers in a user's own file: they derive from nothing and register nowhere.
#include <doctest/doctest.h>

#include <formwork/core/math.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/check.hpp>
#include <formwork/policy/optimizer/groups.hpp>

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

/// Moves a parameter by a share of its length against its gradient: two sums are made of it before it moves.
struct relative_descent {
  static constexpr formwork::label name = "relative_descent";
  static constexpr int moments = 0, sums = 2;

  double prepare(const formwork::update_info& u) const { return u.lr; }

  template <class V>
  std::array<V, 2> measure(V w, V g, std::array<V, 0>, double) const {
    return {w * w, g * g};
  }
  void conclude(double& rate, const std::array<double, 2>& sums, const formwork::update_info&) const {
    rate *= sums[1] > 0 ? std::sqrt((sums[0] + 1e-4) / sums[1]) : 0;
  }
  template <class V>
  void update(V& w, V g, std::array<V, 0>&, double rate) const {
    w = w - V(rate) * g;
  }
};
static_assert(formwork::explain_optimizer<relative_descent>());

/// Centres the gradient of a matrix by rows: a whole matrix is moved at once. AdamW gets everything else.
struct centred_descent {
  static constexpr formwork::label name = "centred_descent";
  formwork::adamw rest{};

  bool takes(const formwork::parameter_info& p) const { return formwork::hidden_matrices{}(p); }
  formwork::index_t kept(formwork::index_t, formwork::index_t) const { return 0; }
  formwork::index_t scratch(formwork::index_t, formwork::index_t) const { return 0; }

  template <class Backend, class T>
  void step(Backend&, const formwork::matrix_update<T>& u) const {
    for (formwork::index_t r = 0; r < u.w.rows; ++r) {
      T mean = 0;
      for (formwork::index_t c = 0; c < u.w.width; ++c) mean += u.g.row(r)[c] / T(u.w.width);
      for (formwork::index_t c = 0; c < u.w.width; ++c)
        u.w.row(r)[c] -= T(u.info.lr) * (u.g.row(r)[c] - mean / 2);
    }
  }
};
static_assert(formwork::explain_optimizer<centred_descent>());

/// Half the rate for embeddings: a rule for an optimizer that is there already.
const formwork::with_rule half{formwork::adamw{}, [](formwork::update_info& u) {
                                 if (u.parameter.role == formwork::role::embedding) u.lr *= 0.5;
                               }};

}  // namespace mine

TEST_CASE("own optimizer: the public check accepts each form") {
  CHECK_NOTHROW(formwork::check_optimizer(mine::sign_momentum{}));
  CHECK_NOTHROW(formwork::check_optimizer(mine::relative_descent{}));
  CHECK_NOTHROW(formwork::check_optimizer(mine::centred_descent{}));
  CHECK_NOTHROW(formwork::check_optimizer(mine::half));
}

TEST_CASE("own optimizer: the size of a step is the learning rate") {
  double w = 1;
  std::array<double, 1> mean{};
  const mine::sign_momentum policy;
  policy.update(w, 1e-6, mean, policy.prepare({.step = 1, .lr = 0.25, .decays = false}));
  CHECK(w == 0.75);
}
