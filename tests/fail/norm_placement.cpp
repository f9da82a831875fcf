// expect[1]: "norm placement: add 'static constexpr formwork::label name = "
// expect[2]: "norm placement: add 'static constexpr bool final_norm = ...;' (a norm behind the last layer)"
// expect[3]: "add 'static constexpr formwork::expr block(formwork::expr x, auto f, auto norm)'"
// expect[4]: "add 'static constexpr formwork::expr block(formwork::expr x, auto f, auto norm)'"
// expect[5]: "add 'static constexpr formwork::expr block(formwork::expr x, auto f, auto norm)'"
#include <formwork/policy/norm_placement/norm_placement.hpp>

struct policy {
#if CASE != 1
  static constexpr formwork::label name = "policy";
#endif
#if CASE != 2
  static constexpr bool final_norm = true;
#endif
#if CASE == 3
#elif CASE == 4
  static constexpr double block(formwork::expr, auto, auto) { return 1; }
#elif CASE == 5
  static constexpr int streams = 2;  // but no layer()
#else
  static constexpr formwork::expr block(formwork::expr x, auto f, auto norm) { return x + f(norm(x)); }
#endif
};

static_assert(formwork::explain_norm_placement<policy>());
