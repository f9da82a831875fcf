#include <formwork/policy/precision/precision.hpp>

#include <limits>

using namespace formwork;

namespace {

struct whole_numbers {
  using scalar = int;
};

struct extended {
  using scalar = long double;
};

}  // namespace

static_assert(precision<fp32> && precision<fp64> && !precision<whole_numbers> && !precision<extended> &&
              !precision<float>);
static_assert(std::numeric_limits<fp32::scalar>::digits == 24 &&
              std::numeric_limits<fp64::scalar>::digits == 53);
