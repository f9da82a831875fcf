// expect[1]: "initialiser: make it copyable"
// expect[2]: "initialiser: add 'double operator()(const parameter_info&, const random_stream&, std"
// expect[3]: "initialiser: add 'double operator()(const parameter_info&, const random_stream&, std"
// expect[4]: "initialiser: add 'const' to the call operator; a value depends on its arguments alone"
// expect[5]: "initialiser: return a number"
// expect[6]: "truncated_normal: deviations is "
// expect[7]: "by_role: name at least one role behind the initialiser or the factor"
// expect[8]: "by_role: a factor is for matrices and tables, not for biases, norms and scalars"
// expect[9]: "initialiser: add 'double operator()(const parameter_info&, const random_stream&, std"
#include <formwork/policy/init/by_role.hpp>
#include <formwork/policy/init/normal.hpp>

#include <memory>

using formwork::parameter_info;
using formwork::random_stream;

struct policy {
#if CASE == 1
  std::unique_ptr<double> deviation;
#endif

#if CASE == 2
#elif CASE == 3
  double operator()(const parameter_info&, std::uint64_t) const { return 0; }
#elif CASE == 4
  double operator()(const parameter_info&, const random_stream& r, std::uint64_t i) { return r.normal(i); }
#elif CASE == 5
  formwork::philox_block operator()(const parameter_info&, const random_stream& r, std::uint64_t i) const {
    return r.block(i);
  }
#else
  double operator()(const parameter_info&, const random_stream& r, std::uint64_t i) const {
    return r.normal(i);
  }
#endif
};

static_assert(formwork::explain_initialiser<policy>());

using namespace formwork;

#if CASE == 6
constexpr auto cut = checked(truncated_normal{.deviations = 0});
#endif

#if CASE == 7
constexpr auto nowhere = by_role{normal{}}.with(normal{.stddev = 1});
#elif CASE == 8
constexpr auto biased = checked(by_role{normal{}}.times(0.5, role::down, role::bias));
#elif CASE == 9
constexpr auto number = by_role{normal{}}.with(0.5, role::down);
#else
constexpr auto sound = checked(by_role{normal{}}.with(truncated_normal{}, role::down).times(0.5, role::up));
#endif
