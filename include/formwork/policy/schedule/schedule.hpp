#pragma once
// Schedules: the learning rate of each update. Anything that can be called with the number of an update,
// counted from 1, and returns a number is a schedule; a lambda too:
//   [](formwork::step_t t) { return t < 100 ? 1e-3 : 1e-4; }
//
//   constant              one rate                           fine-tuning for few steps; small problems
//   linear                warm-up, then straight to the end  BERT; the number of updates must be known
//   cosine                warm-up, then half a cosine        GPT; the same, longer at high and low rates
//   inverse_sqrt          warm-up, then 1 / sqrt(t)          translation; the number of updates may stay open
//   fairseq_inverse_sqrt  the same, decay tied to warm-up    to repeat recipes of that toolkit
//   noam                  the same, rate from the width      the original Transformer
//   step_decay            a factor at given updates          pre-norm without warm-up ("0.1 at epoch 8")
//   warmup, then, scaled  built around other schedules       warm-up for any of them; phases; a common factor
//
// Rules all shipped schedules keep: warm-up 0 and 1 are the same (the first update has the full rate); no
// update has rate 0 unless asked for; warm-up == total and total == 1 are legal, warm-up > total is an error
// of `validate()`; after the total the rate stays at its end value; the rate is a pure function of the step.
// To write one: copyable, `double operator()(step_t) const`; `validate()` is optional (policy/validate.hpp).
#include <formwork/core/types.hpp>

#include <concepts>

namespace formwork {

/// A function from the number of an update, counted from 1, to its learning rate.
template <class S>
concept schedule = std::copy_constructible<S> && requires(const S& lr, step_t step) {
  { lr(step) } -> std::convertible_to<double>;
};

/// Says in one sentence what a type lacks to be a schedule.
template <class S>
consteval bool explain_schedule() {
  static_assert(std::copy_constructible<S>, "schedule: make it copyable");
  static_assert(std::invocable<S&, step_t>,
                "schedule: make it callable as 'double operator()(step_t) const'");
  static_assert(std::invocable<const S&, step_t>,
                "schedule: add 'const' to the call operator; a rate depends on nothing but the step");
  static_assert(
      requires(const S& lr, step_t step) {
        { lr(step) } -> std::convertible_to<double>;
      },
      "schedule: return a number");
  return schedule<S>;
}

}  // namespace formwork
