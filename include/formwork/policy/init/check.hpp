#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/init/initialiser.hpp>
#include <formwork/policy/validate.hpp>

#include <cmath>
#include <vector>

namespace formwork {

namespace detail {

/// The elements of one parameter; throws for values that are not finite or change when asked for again, in
/// reverse as threads may do.
template <class Init>
std::vector<double> initial_values(const Init& init, const parameter_info& p, const random_stream& stream) {
  std::vector<double> values;
  for (index_t i = 0; i < p.size(); ++i) {
    values.push_back(double(init(p, stream, std::uint64_t(i))));
    if (!std::isfinite(values.back()))
      fail("initialiser: element ", i, " of ", p.name, " is not a finite number");
  }
  for (index_t i = p.size(); i-- > 0;)
    if (double(init(p, stream, std::uint64_t(i))) != values[std::size_t(i)])
      fail("initialiser: element ", i, " of ", p.name, " has another value when asked for again");
  return values;
}

}  // namespace detail

/// Tests an initialiser on one small parameter of every role: its own `validate()`, finite values, the same
/// values in any order, learned factors (role::scalar) at the value that their op asks for, matrices whose
/// rows differ unless the matrix is 0 (equal rows would stay equal for ever), not all matrices 0, and other
/// values for another random stream. Throws `error` with a sentence for the first rule broken.
template <class Init>
void check_initialiser(const Init& init) {
  static_assert(explain_initialiser<Init>());
  validate(init);
  bool some_matrix = false, some_stream = false;
  for (int r = 0; r <= int(role::scalar); ++r) {
    const parameter_info p{.name = label(text("role ", r)),
                           .role = role(r),
                           .rows = 7,
                           .columns = role(r) < role::bias ? 5 : 1,
                           .stack = stack_kind::decoder,
                           .layer = 1,
                           .encoder_layers = 2,
                           .decoder_layers = 3};
    const std::vector<double> values = detail::initial_values(init, p, random_stream{11, 22});
    some_stream |= values != detail::initial_values(init, p, random_stream{11, 23});
    if (!is_matrix(p.role)) continue;
    bool zero = true, equal_rows = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      zero &= values[i] == 0;
      equal_rows &= values[i] == values[i % std::size_t(p.columns)];
    }
    if (equal_rows && !zero)
      fail("initialiser: all rows of matrix ", p.name, " are equal, they would learn the same");
    some_matrix |= !zero;
  }
  if (!some_matrix) fail("initialiser: all matrices are 0, no gradient would flow");
  if (!some_stream) fail("initialiser: no value depends on the random stream, all layers would start equal");
  const parameter_info factor{.name = "factor", .role = role::scalar, .rows = 1, .columns = 1, .start = 0.25};
  if (const double start = double(init(factor, random_stream{11, 22}, 0)); start != factor.start)
    fail("initialiser: a learned factor starts at ", start, ", its op asks for ", factor.start,
         "; return parameter_info::start for role::scalar");
}

}  // namespace formwork
