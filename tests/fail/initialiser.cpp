// expect[1]: "initialiser: make it copyable"
// expect[2]: "initialiser: add 'double operator()(const parameter_info&, const random_stream&, std"
// expect[3]: "initialiser: add 'double operator()(const parameter_info&, const random_stream&, std"
// expect[4]: "initialiser: add 'const' to the call operator; a value depends on its arguments alone"
// expect[5]: "initialiser: return a number"
#include <formwork/policy/init/initialiser.hpp>

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
