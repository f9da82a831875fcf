// expect[1]: "schedule: make it copyable"
// expect[2]: "schedule: make it callable as 'double operator()(step_t) const'"
// expect[3]: "schedule: make it callable as 'double operator()(step_t) const'"
// expect[4]: "schedule: add 'const' to the call operator; a rate depends on nothing but the step"
// expect[5]: "schedule: return a number"
// expect[6]: "schedule: return a number"
// expect[7]: "is more than total"
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/linear.hpp>

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
constexpr bool checked = (formwork::linear{.warmup = 20, .total = 10}.validate(), true);
#else
constexpr bool checked = (formwork::linear{.warmup = 10, .total = 10}.validate(), true);
#endif
