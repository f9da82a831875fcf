#include <formwork/policy/optimizer/groups.hpp>
//
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/check.hpp>
#include <formwork/policy/optimizer/lion.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

namespace {

struct no_bias {
  bool operator()(const parameter_info& p) const { return p.role != role::bias; }
};
struct slower {
  double factor = 0.5;
  void operator()(update_info& u) const { u.lr *= factor; }
  void validate() const {
    if (!(factor > 0)) fail("slower: factor is ", factor, ", expected a number above 0");
  }
};

template <class O>
std::array<double, 18> moved(const O& policy, double lr) {
  formwork_test::long_run<O> run(policy, lr);
  for (step_t t = 1; t <= 10; ++t) run.update(t);
  return run.w;
}

}  // namespace

TEST_CASE("groups: the parameters that are chosen go to the first optimizer, the others to the rest") {
  const auto both = moved(groups{lion{}, adamw{}, no_bias{}}, 0.01);
  const auto first = moved(lion{}, 0.01), rest = moved(adamw{}, 0.01);
  for (std::size_t i = 0; i < 18; ++i) CHECK(both[i] == (i < 16 ? first : rest)[i]);
}

TEST_CASE("groups: the rest may have a rest again") {
  const auto three = moved(groups{lion{}, groups{plain_sgd{}, adamw{}, no_bias{}}, hidden_matrices{}}, 0.01);
  const auto a = moved(lion{}, 0.01), b = moved(plain_sgd{}, 0.01), c = moved(adamw{}, 0.01);
  for (std::size_t i = 0; i < 18; ++i) CHECK(three[i] == (i < 12 ? a : i < 16 ? b : c)[i]);
  using nested = groups<lion, groups<plain_sgd, adamw, no_bias>, hidden_matrices>;
  CHECK(optimizer_name<nested>() == "lion, plain_sgd, adamw");
  CHECK_NOTHROW(check_optimizer(nested{}));
}

TEST_CASE("groups: a rule changes rate and decay before the optimizer sees them") {
  const auto all_decay =
      moved(with_rule{adamw{.weight_decay = 0.5}, [](update_info& u) { u.decays = true; }}, 0.01);
  const auto usual = moved(adamw{.weight_decay = 0.5}, 0.01);
  for (std::size_t i = 0; i < 18; ++i) CHECK((all_decay[i] == usual[i]) == (i < 12));
  CHECK(moved(with_rule{adamw{}, slower{}}, 0.02) == moved(adamw{}, 0.01));
}

TEST_CASE("groups: a rule around two optimizers reaches both, and rules add up") {
  const auto both = moved(with_rule{groups{lion{}, adamw{}, no_bias{}}, slower{}}, 0.04);
  CHECK(both == moved(groups{lion{}, adamw{}, no_bias{}}, 0.02));
  CHECK(moved(with_rule{with_rule{lion{}, slower{}}, slower{}}, 0.04) == moved(lion{}, 0.01));
  const auto inside = moved(groups{lion{}, with_rule{adamw{}, slower{}}, no_bias{}}, 0.04);
  CHECK(inside[17] == both[17]);
  CHECK(inside[0] != both[0]);
}

TEST_CASE("groups: hidden matrices are those of layers") {
  const auto taken = [](role r, index_t rows, index_t columns) {
    return hidden_matrices{}({.role = r, .rows = rows, .columns = columns});
  };
  CHECK(taken(role::query, 4, 4));
  CHECK(taken(role::down, 4, 8));
  CHECK_FALSE(taken(role::embedding, 4, 4));
  CHECK_FALSE(taken(role::head, 4, 4));
  CHECK_FALSE(taken(role::position, 4, 4));
  CHECK_FALSE(taken(role::bias, 4, 1));
  CHECK_FALSE(taken(role::up, 1, 4));
}

TEST_CASE("groups: rates fall by a factor from the top layer to the embedding") {
  const auto rate = [](parameter_info p) {
    p.encoder_layers = 3, p.decoder_layers = 2;
    update_info u{.lr = 1, .parameter = p};
    layer_decay{.factor = 0.5}(u);
    return u.lr;
  };
  CHECK(rate({.role = role::up, .stack = stack_kind::encoder, .layer = 2}) == 1);
  CHECK(rate({.role = role::up, .stack = stack_kind::encoder, .layer = 0}) == 0.25);
  CHECK(rate({.role = role::up, .stack = stack_kind::decoder, .layer = 0}) == 0.5);
  CHECK(rate({.role = role::embedding}) == 0.125);
  CHECK(rate({.role = role::head}) == 1);
}

TEST_CASE("groups: numbers of all parts are checked") {
  CHECK_THROWS_AS((optimizer_state<double, groups<lion, adamw, no_bias>>(
                      groups{lion{}, adamw{.beta1 = 1}, no_bias{}}, {})),
                  error);
  CHECK_THROWS_AS(validate(with_rule{lion{.beta1 = 1}, slower{}}), error);
  CHECK_THROWS_AS(validate(with_rule{lion{}, slower{.factor = 0}}), error);
  check_number(layer_decay{}, &layer_decay::factor, {0.1, 1}, {0, -1, 1.5});
}
