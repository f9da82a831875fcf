// expect[1]: "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'"
// expect[2]: "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'"
// expect[3]: "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'"
// expect[4]: "head norm: add a third parameter 'int heads = 1' to apply"
// expect[5]: "norm: the width must be a multiple of heads"
#include <formwork/policy/norm/norm.hpp>

struct policy {
#if CASE == 1
#elif CASE == 2
  static constexpr double apply(formwork::expr, formwork::label) { return 1; }
#elif CASE == 3
  formwork::expr apply(formwork::expr x, formwork::label) const { return x; }
#elif CASE == 4
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name) {
    return formwork::ops::rms_norm(x, name);
  }
#else
  static constexpr formwork::expr apply(formwork::expr x, formwork::label name, int heads = 1) {
    return formwork::ops::rms_norm(x, name, 1e-3, heads);
  }
#endif
};

#if CASE < 4
static_assert(formwork::explain_norm<policy>());
#else
static_assert(formwork::explain_head_norm<policy>());
#endif

constexpr formwork::graph layer = [] {
  formwork::graph g{};
  const formwork::expr x = stream_input(g, 12, formwork::axis::source);
  formwork::rms_norm::apply(x, "norm", CASE == 5 ? 5 : 4);
  return g;
}();
