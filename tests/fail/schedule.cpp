// expect[1]: "schedule: make it copyable"
// expect[2]: "schedule: make it callable as 'double operator()(step_t) const'"
// expect[3]: "schedule: make it callable as 'double operator()(step_t) const'"
// expect[4]: "schedule: add 'const' to the call operator; a rate depends on nothing but the step"
// expect[5]: "schedule: return a number"
// expect[6]: "schedule: return a number"
// expect[7]: "is more than total"
// expect[8]: "is more than total"
// expect[9]: "is longer than the run of"
// expect[10]: "is longer than the run of"
// expect[11]: "is more than total"
// expect[12]: "are together more than total"
// expect[13]: "is longer than the first part"
// expect[14]: "cooldown: the warm-up of"
// expect[15]: "must be above"
// expect[16]: "tail: make it callable as 'double operator()(double u) const'"
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cooldown.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/schedule/step_decay.hpp>
#include <formwork/policy/schedule/wsd.hpp>

#include <memory>
#include <string>

struct policy {
#if CASE == 1
  std::unique_ptr<double> rate;
#endif

#if CASE == 2
#elif CASE == 3
  double operator()(formwork::step_t, double) const { return 1; }
#elif CASE == 4
  double operator()(formwork::step_t) { return 1; }
#elif CASE == 5
  std::string operator()(formwork::step_t) const { return "1"; }
#else
  double operator()(formwork::step_t) const { return 1; }
#endif
};

static_assert(formwork::explain_schedule<policy>());

#if CASE == 6  // a composition names the fault of its part
formwork::warmup composed{10, [](formwork::step_t) {}};
#else
formwork::warmup composed{10, [](formwork::step_t) { return 1.0; }};
#endif

#if CASE == 7  // constants can be checked by the compiler
constexpr bool fine = (formwork::linear{.warmup = 20, .total = 10}.validate(), true);
#else
constexpr bool fine = (formwork::linear{.warmup = 10, .total = 10}.validate(), true);
#endif

// CASE 8 to 15: a warm-up that is longer than the run, and other constants that do not fit. `off` is
// added to a number that is just right.
template <int Case>
constexpr formwork::step_t off = CASE == Case ? 1 : 0;

constexpr auto closed = formwork::checked(formwork::linear{.warmup = 10 + off<8>, .total = 10});
constexpr auto open = formwork::checked(formwork::inverse_sqrt{.warmup = 4000 + off<9>}, 4000);
constexpr auto scaled =
    formwork::checked(formwork::scaled{0.5, formwork::noam{.warmup = 4000 + off<10>}}, 4000);
constexpr auto warmed = formwork::checked(formwork::warmup{10 + off<11>, formwork::linear{.total = 10}});
constexpr auto staged = formwork::checked(formwork::wsd<>{.warmup = 4 + off<12>, .total = 10, .decay = 6});
constexpr auto phases = formwork::checked(
    formwork::then{formwork::inverse_sqrt{.warmup = 10 + off<13>}, 10, formwork::constant{}});
constexpr auto cooled =
    formwork::checked(formwork::cooldown{formwork::inverse_sqrt{.warmup = 5 + off<14>}, 10, 5});
constexpr auto stepped =
    formwork::checked(formwork::epoch_decay<2>{.epochs = {7 + off<15>, 8}, .steps_per_epoch = 100});

#if CASE == 16
constexpr auto left = [] { return 1.0; };
#else
constexpr auto left = [](double u) { return 1 - u * u; };
#endif
formwork::wsd<decltype(left)> own_tail{.total = 10};
