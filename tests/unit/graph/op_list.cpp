#include <formwork/graph/op_list.hpp>

#include <doctest/doctest.h>

#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/ops/add.hpp>
#include <formwork/ops/elementwise.hpp>
#include <formwork/policy/activation/activation.hpp>

using namespace formwork;

namespace {

using few = op_list<add_op, elementwise_op<relu>>;
using more = few::extend<scale_op>;

}  // namespace

TEST_CASE("op_list: finds the kernels of its ops, of those that extend it too") {
  constexpr auto found = few::kernels<float, cpu_backend>(&record_of<add_op>);
  using add_call = call<float, cpu_backend>;
  static_assert(found.forward == &add_op::forward<add_call> && found.backward == &add_op::backward<add_call>);
  CHECK((more::kernels<float, cpu_backend>(&record_of<scale_op>).forward == &scale_op::forward<add_call>));
}

TEST_CASE("op_list: an op that is not in the list is an error that says what to do") {
  CHECK_THROWS_WITH((few::kernels<float, cpu_backend>(&record_of<scale_op>)),
                    "op_list: the layer uses an op that is not in the model's op list; add it with extend");
}

TEST_CASE("op_list: element functions have kernels for the epilogue of a product, other ops have none") {
  const element_kernels<double> k = few::element<double>(&record_of<elementwise_op<relu>>);
  const double x[] = {-1, 2, -3, 4, 5}, dy[] = {1, 1, 1, 1, 1};
  double y[5], dx[5];
  k.apply(y, x, 5);
  k.scale_by_slope(dx, dy, x, 5);
  for (int i = 0; i < 5; ++i) CHECK((y[i] == (x[i] > 0 ? x[i] : 0) && dx[i] == (x[i] > 0)));
  CHECK((few::element<double>(&record_of<add_op>).apply == nullptr));
  CHECK((few::element<double>(nullptr).apply == nullptr));
}
