#include <formwork/policy/validate.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/depth_scaled.hpp>
#include <formwork/policy/init/he.hpp>
#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adabelief.hpp>
#include <formwork/policy/optimizer/adan.hpp>
#include <formwork/policy/optimizer/adopt.hpp>
#include <formwork/policy/optimizer/amsgrad.hpp>
#include <formwork/policy/optimizer/cautious.hpp>
#include <formwork/policy/optimizer/groups.hpp>
#include <formwork/policy/optimizer/lamb.hpp>
#include <formwork/policy/optimizer/lars.hpp>
#include <formwork/policy/optimizer/lion.hpp>
#include <formwork/policy/optimizer/lookahead.hpp>
#include <formwork/policy/optimizer/nadam.hpp>
#include <formwork/policy/optimizer/prodigy.hpp>
#include <formwork/policy/optimizer/radam.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/optimizer/sophia.hpp>
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cooldown.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/cosine_restarts.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/schedule/one_cycle.hpp>
#include <formwork/policy/schedule/polynomial.hpp>
#include <formwork/policy/schedule/power_law.hpp>
#include <formwork/policy/schedule/step_decay.hpp>
#include <formwork/policy/schedule/tri_stage.hpp>
#include <formwork/policy/schedule/wsd.hpp>

#include "../../support/wrong_numbers.hpp"
#include <type_traits>

using namespace formwork;
using formwork_test::check_number;

static_assert(checked(sgd{.momentum = 0.5}).momentum == 0.5);  // tests/fail/schedule.cpp has what it refuses

TEST_CASE("validate: calls the policy's own check where there is one") {
  CHECK_THROWS_AS(validate(sgd{.momentum = 2}), error);
  CHECK_NOTHROW(validate(sgd{}));
  CHECK_NOTHROW(validate([](step_t) { return 1.0; }));
}

namespace {

/// The numbers that optimizers have in common go by the same names and have the same ranges.
template <class Optimizer>
void check_common_numbers() {
  using O = Optimizer;
  CAPTURE(label(O::name));
  if constexpr (requires { &O::beta1; }) check_number(O{}, &O::beta1, {0.1, 0.999}, {-0.1, 1});
  if constexpr (requires { &O::beta2; }) check_number(O{}, &O::beta2, {0, 0.999}, {-0.1, 1});
  if constexpr (requires { &O::beta3; }) check_number(O{}, &O::beta3, {0, 0.999}, {-0.1, 1});
  if constexpr (requires { &O::momentum; })
    if constexpr (std::is_member_object_pointer_v<decltype(&O::momentum)>)
      check_number(O{}, &O::momentum, {0, 0.99}, {-0.1, 1});
  if constexpr (requires { &O::epsilon; }) check_number(O{}, &O::epsilon, {1e-30, 1}, {0, 1e-31, -1e-8});
  if constexpr (requires { &O::weight_decay; }) check_number(O{}, &O::weight_decay, {0, 10}, {-1});
  if constexpr (requires { &O::l2; }) check_number(O{}, &O::l2, {0, 10}, {-1});
  if constexpr (requires { &O::power; }) check_number(O{}, &O::power, {0, 2}, {-1});
}

template <class... Optimizers>
void check_common_numbers_of_all() {
  (check_common_numbers<Optimizers>(), ...);
}

}  // namespace

TEST_CASE("validate: no number of an optimizer may be infinite, no number, or out of its range") {
  check_common_numbers_of_all<adam, adamw, radam, sgd, plain_sgd, adabelief, adan, adopt, amsgrad, lamb, lars,
                              lion, nadam, nadamw, prodigy, schedule_free_sgd, schedule_free_adamw,
                              sophia_g>();
  check_number(radam{}, &radam::threshold, {4, 100}, {3.9, 0, -4});
  check_number(sgd{}, &sgd::damping, {0, 0.99}, {-0.1, 1});
  check_number(lamb{}, &lamb::longest, {0, 10}, {-1});
  check_number(lamb{}, &lamb::largest_ratio, {0, 10}, {-1});
  check_number(lars{}, &lars::trust, {0.1}, {0, -1});
  check_number(nadam{}, &nadam::psi, {0, 1}, {-1});
  check_number(prodigy{}, &prodigy::first_distance, {1e-9, 1}, {0, -1});
  check_number(prodigy{}, &prodigy::coefficient, {0.1, 2}, {0, -1});
  check_number(prodigy{}, &prodigy::growth, {0, 1.1}, {1, -1});
  check_number(schedule_free_sgd{}, &schedule_free_sgd::beta1, {0.1}, {0});
  check_number(schedule_free_adamw{}, &schedule_free_adamw::beta1, {0.1}, {0});
  check_number(sophia_g{}, &sophia_g::rho, {0.1}, {0, -1});
  check_number(sophia_g{}, &sophia_g::every, {1, 10}, {0, -1});
  check_number(layer_decay{}, &layer_decay::factor, {0.1, 1}, {0, 1.1, -1});
  using careful = cautious<adamw>;
  check_number(careful{}, &careful::floor, {0.1}, {0, -1});
  using slow = lookahead<adamw>;
  check_number(slow{}, &slow::every, {1, 10}, {0, -1});
  check_number(slow{}, &slow::share, {0.1, 1}, {0, 1.1, -1});
}

TEST_CASE("validate: no number of an initialiser may be infinite, no number, 0 or negative") {
  check_number(normal{}, &normal::stddev, {1e-9, 10}, {0, -0.02});
  check_number(xavier_uniform{}, &xavier_uniform::gain, {1e-9, 10}, {0, -1});
  check_number(xavier_normal{}, &xavier_normal::gain, {1e-9, 10}, {0, -1});
  check_number(truncated_normal{}, &truncated_normal::stddev, {1e-9, 10}, {0, -0.02});
  check_number(truncated_normal{}, &truncated_normal::deviations, {0.5, 10}, {0.4, 0, -2});
  check_number(he_uniform{}, &he_uniform::gain, {1e-9, 10}, {0, -1});
  check_number(he_normal{}, &he_normal::gain, {1e-9, 10}, {0, -1});
  check_number(ds_init<>{}, &ds_init<>::alpha, {1e-9, 1}, {0, -1});
}

TEST_CASE("validate: no number of a schedule with an end may be infinite, no number, or out of its range") {
  const linear straight{.total = 10};
  check_number(straight, &linear::lr, {1e-9, 10}, {0, -1});
  check_number(straight, &linear::warmup, {0, 10}, {-1});
  check_number(straight, &linear::total, {1}, {0, -1});
  check_number(straight, &linear::end, {0, 10}, {-1});
  check_number(straight, &linear::initial, {0, 1e-4}, {-1});
  const cosine wave{.total = 10};
  check_number(wave, &cosine::lr, {1e-9, 10}, {0, -1});
  check_number(wave, &cosine::warmup, {0, 10}, {-1});
  check_number(wave, &cosine::total, {1}, {0, -1});
  check_number(wave, &cosine::minimum, {0, 1e-4}, {-1});
  check_number(wave, &cosine::initial, {0, 1e-4}, {-1});
  const polynomial curve{.total = 10};
  check_number(curve, &polynomial::lr, {1e-9, 10}, {0, -1});
  check_number(curve, &polynomial::warmup, {0, 10}, {-1});
  check_number(curve, &polynomial::total, {1}, {0, -1});
  check_number(curve, &polynomial::exponent, {0.1, 9}, {0, -1});
  check_number(curve, &polynomial::end, {0, 10}, {-1});
  check_number(curve, &polynomial::initial, {0, 1e-4}, {-1});
  const cosine_restarts waves{.first_cycle = 10};
  check_number(waves, &cosine_restarts::lr, {1e-9, 10}, {0, -1});
  check_number(waves, &cosine_restarts::first_cycle, {1}, {0, -1});
  check_number(waves, &cosine_restarts::length_factor, {1, 2}, {0.9, 0, -1});
  check_number(waves, &cosine_restarts::lr_factor, {0.1, 1}, {1.1, 0, -1});
  check_number(waves, &cosine_restarts::minimum, {0, 1e-4}, {-1});
  check_number(waves, &cosine_restarts::k, {0.1, 2}, {0, -1});
  check_number(waves, &cosine_restarts::warmup, {0, 10}, {-1});
  check_number(waves, &cosine_restarts::initial, {0, 1e-4}, {-1});
  const one_cycle cycle{.total = 10};
  check_number(cycle, &one_cycle::lr, {1e-9, 10}, {0, -1});
  check_number(cycle, &one_cycle::total, {1}, {0, -1});
  check_number(cycle, &one_cycle::rise, {0, 1}, {-0.1, 1.1});
  check_number(cycle, &one_cycle::start_divisor, {1, 50}, {0.9, 0, -1});
  check_number(cycle, &one_cycle::end_divisor, {1, 50}, {0, -1});
  const tri_stage stages{.hold = 10};
  check_number(stages, &tri_stage::lr, {1e-9, 10}, {0, -1});
  check_number(stages, &tri_stage::warmup, {0, 10}, {-1});
  check_number(stages, &tri_stage::hold, {1, 10}, {-1});
  check_number(stages, &tri_stage::decay, {0, 10}, {-1});
  check_number(stages, &tri_stage::initial_share, {0, 1}, {-0.1, 1.1});
  check_number(stages, &tri_stage::end_share, {0.1, 1}, {0, -0.1, 1.1});
  using stable = wsd<>;
  check_number(stable{.total = 10}, &stable::lr, {1e-9, 10}, {0, -1});
  check_number(stable{.total = 10}, &stable::warmup, {0, 9}, {-1});
  check_number(stable{.total = 10}, &stable::total, {1}, {0, -1});
  check_number(stable{.total = 10}, &stable::decay, {0, 10}, {-1});
  check_number(stable{.total = 10}, &stable::end, {0, 1e-4}, {-1});
  check_number(stable{.total = 10}, &stable::initial, {0, 1e-4}, {-1});
  check_number(exponential_tail{}, &exponential_tail::halvings, {0.1, 10}, {0, -1});
  const cooldown cooled{constant{}, 10, 5};
  using cooled_type = std::remove_const_t<decltype(cooled)>;
  check_number(cooled, &cooled_type::total, {5, 10}, {0, -1});
  check_number(cooled, &cooled_type::updates, {0, 10}, {-1});
  check_number(cooled, &cooled_type::end, {0, 1e-4}, {-1});
}

TEST_CASE("validate: no number of a schedule without end may be infinite, no number, or out of its range") {
  check_number(constant{}, &constant::lr, {1e-9, 10}, {0, -1});
  check_number(inverse_sqrt{}, &inverse_sqrt::lr, {1e-9, 10}, {0, -1});
  check_number(inverse_sqrt{}, &inverse_sqrt::warmup, {0, 10}, {-1});
  check_number(inverse_sqrt{}, &inverse_sqrt::decay_from, {1, 10}, {0, -1});
  check_number(inverse_sqrt{}, &inverse_sqrt::initial, {0, 1e-4}, {-1});
  check_number(fairseq_inverse_sqrt{}, &fairseq_inverse_sqrt::lr, {1e-9, 10}, {0, -1});
  check_number(fairseq_inverse_sqrt{}, &fairseq_inverse_sqrt::warmup, {0, 10}, {-1});
  check_number(fairseq_inverse_sqrt{}, &fairseq_inverse_sqrt::initial, {0, 1e-4}, {-1});
  check_number(tfixup_inverse_sqrt{}, &tfixup_inverse_sqrt::lr, {1e-9, 10}, {0, -1});
  check_number(tfixup_inverse_sqrt{}, &tfixup_inverse_sqrt::half, {1, 10}, {0, -1});
  check_number(noam{}, &noam::d_model, {1, 10}, {0, -1});
  check_number(noam{}, &noam::warmup, {0, 10}, {-1});
  check_number(noam{}, &noam::factor, {1e-9, 10}, {0, -1});
  check_number(power_law{}, &power_law::lr, {1e-9, 10}, {0, -1});
  check_number(power_law{}, &power_law::warmup, {0, 10}, {-1});
  check_number(power_law{}, &power_law::decay_from, {1, 10}, {0, -1});
  check_number(power_law{}, &power_law::exponent, {-1, -0.1}, {0, 1});
  check_number(power_law{}, &power_law::initial, {0, 1e-4}, {-1});
  using stairs = step_decay<1>;
  check_number(stairs{.boundaries = {5}}, &stairs::lr, {1e-9, 10}, {0, -1});
  check_number(stairs{.boundaries = {5}}, &stairs::factor, {0.1, 2}, {0, -1});
  check_number(staircase{.every = 5}, &staircase::lr, {1e-9, 10}, {0, -1});
  check_number(staircase{.every = 5}, &staircase::every, {1, 10}, {0, -1});
  check_number(staircase{.every = 5}, &staircase::factor, {0.1, 2}, {0, -1});
  using ramp = warmup<constant>;
  check_number(ramp{}, &ramp::steps, {0, 10}, {-1});
  check_number(ramp{}, &ramp::initial, {0, 1e-4}, {-1});
  using half = scaled<constant>;
  check_number(half{}, &half::factor, {0.1, 2}, {0, -1});
  using both = then<constant, constant>;
  check_number(both{}, &both::steps, {0, 10}, {-1});
}
