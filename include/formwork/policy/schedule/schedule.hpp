#pragma once
// Schedules: the learning rate of each update. Anything that can be called with the number of an update,
// counted from 1, and returns a number is a schedule; a lambda too:
//   [](formwork::step_t t) { return t < 100 ? 1e-3 : 1e-4; }
//
//   constant              one rate                           fine-tuning for few steps; small problems
//   linear                warm-up, then straight to the end  BERT; the number of updates must be known
//   polynomial            the same along a power             to fall early and end gently, or the reverse
//   cosine                warm-up, then half a cosine        GPT; longer than linear at high and low rates
//   cosine_restarts       cosine again and again             snapshots; runs that may get another cycle
//   wsd                   warm-up, stable, decay at the end  only the tail depends on the number of updates
//   tri_stage             the same, exponential tail         speech recognition
//   one_cycle             up and down; momentum down and up  short runs at a high rate
//   inverse_sqrt          warm-up, then 1 / sqrt(t)          translation; the number of updates may stay open
//   fairseq_inverse_sqrt  the same, decay tied to warm-up    to repeat recipes of that toolkit
//   tfixup_inverse_sqrt   1 / sqrt(D + t) from update 1      T-Fixup and others that need no warm-up
//   noam                  1 / sqrt(t), rate from the width   the original Transformer
//   power_law             warm-up, then another power of t   one schedule for runs of many lengths
//   step_decay            a factor at given updates          when these are known
//   epoch_decay           a factor at given epochs           pre-norm without warm-up ("0.1 at epoch 8")
//   staircase             a factor again and again           stairs of equal length
//   warmup, then, scaled  built around other schedules       warm-up for any of them; phases; a factor
//   cooldown              a tail for any schedule            when the end of an open run has become known
//
// Rules all shipped schedules keep: warm-up 0 and 1 are the same (the first update has the full rate); no
// update has rate 0 unless asked for; phases join without a jump unless the jump is the point; warm-up ==
// total and total == 1 are legal, warm-up > total is an error of `validate()`; after the total the rate
// stays at its end value; the rate is a pure function of the step, so a resumed run has the same rates.
// Constants are checked by the compiler with `checked` (policy/validate.hpp); `validate_run` checks a
// schedule against the length of a run (run_length.hpp). To write one: copyable, `double operator()(step_t)
// const`; `validate()` is optional (policy/validate.hpp), and so are `warmup` and `total`, or
// `warmup_steps()` and `total_steps()`, by which compositions know its length.
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
