// A schedule in a user's own file: anything that maps the number of an update to a rate, so a lambda is one.
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/check.hpp>
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/one_cycle.hpp>
#include <formwork/policy/schedule/wsd.hpp>

namespace mine {

constexpr auto two_rates = [](formwork::step_t t) { return t < 100 ? 1e-3 : 1e-4; };
static_assert(formwork::explain_schedule<decltype(two_rates)>());

// A struct whose members say how long it warms up and lasts is understood by compositions and `validate_run`.
struct triangle {
  double lr = 1e-3;
  formwork::step_t warmup = 1, total = 1;
  double operator()(formwork::step_t t) const {
    return t <= warmup ? lr * double(t) / double(warmup)
                       : lr * double(std::max(total - t, formwork::step_t(0))) / double(total - warmup);
  }
};
static_assert(formwork::explain_schedule<triangle>());

// How `wsd` and `cooldown` end is a function too.
constexpr auto parabola = [](double u) { return 1 - u * u; };

// The momentum of one_cycle: an optimizer takes it for its beta1, with the number of the update.
struct cycled_adamw {
  static constexpr formwork::label name = "cycled_adamw";
  static constexpr int moments = 2;
  formwork::one_cycle cycle{.total = 1};
  formwork::adamw adamw{};

  formwork::adamw::prepared prepare(const formwork::update_info& u) const {
    formwork::adamw now = adamw;
    now.beta1 = cycle.momentum(u.step);
    return now.prepare(u);
  }
  template <class V>
  void update(V& w, V g, std::array<V, 2>& state, const formwork::adamw::prepared& p) const {
    adamw.update(w, g, state, p);
  }
};
static_assert(formwork::explain_optimizer<cycled_adamw>());

}  // namespace mine

TEST_CASE("own schedule: a lambda passes the public check and composes with warm-up") {
  CHECK_NOTHROW(formwork::check_schedule(mine::two_rates));
  const formwork::warmup lr{10, mine::two_rates};
  CHECK_NOTHROW(formwork::check_schedule(lr));
  CHECK(lr(1) == doctest::Approx(1e-4));
  CHECK(lr(99) == 1e-3);
  CHECK(lr(100) == 1e-4);
}

TEST_CASE("own schedule: compositions know its warm-up and total by its members") {
  const mine::triangle lr{.lr = 1, .warmup = 10, .total = 20};
  CHECK_NOTHROW(formwork::check_schedule(lr, 30));
  CHECK_NOTHROW(formwork::validate_run(lr, 10));
  CHECK_THROWS_WITH_AS(formwork::validate_run(lr, 9),
                       "schedule: the warm-up of 10 updates is longer than the run of 9", formwork::error);
  CHECK_THROWS_WITH_AS((formwork::warmup{21, lr}.validate()), "warmup: steps 21 is more than total 20",
                       formwork::error);
}

TEST_CASE("own schedule: a tail of one's own") {
  const formwork::wsd<decltype(mine::parabola)> lr{.lr = 1, .total = 100, .decay = 50};
  CHECK_NOTHROW(formwork::check_schedule(lr, 200));
  CHECK(lr(75) == 0.75);
}

TEST_CASE("own schedule: an optimizer that follows the momentum of one_cycle") {
  const formwork::one_cycle cycle{.lr = 1e-2, .total = 1000};
  const mine::cycled_adamw policy{cycle};
  CHECK_NOTHROW(formwork::validate(cycle));
  for (const formwork::step_t t : {1, 300, 1000}) {
    const formwork::update_info info{.step = t, .lr = cycle(t)};
    const formwork::adamw fixed{.beta1 = cycle.momentum(t)};
    double w = 1, expected = 1;
    std::array<double, 2> state{0.5, 0.25}, state_of_fixed{0.5, 0.25};
    policy.update(w, 0.75, state, policy.prepare(info));
    fixed.update(expected, 0.75, state_of_fixed, fixed.prepare(info));
    CHECK(w == expected);
    CHECK(state == state_of_fixed);
  }
}
