// expect[1]: "tensor: include <formwork/kernels/cpu/evaluate.hpp> to assign expressions"
// expect[2]: "tensor: include <formwork/tensor/xtensor.hpp> to use .xt()"
// expect[3]: "extents: give one size for each dynamic axis, in order"
// expect[4]: "extents: write a number >= 0 or formwork::dynamic"
// expect[5]: "tensor: give one index for each axis"
// expect[6]: "extents: a tensor has at least one axis"
#include <formwork/tensor/tensor.hpp>

using namespace formwork;

void use() {
  tensor<float, dynamic, 8> y(2);
  y(1, 2) = 3;
#if CASE == 1
  y = y + 1;
#elif CASE == 2
  y.xt();
#elif CASE == 3
  tensor<float, dynamic, 8> z(2, 8);
#elif CASE == 4
  tensor<float, dynamic, -8> z;
#elif CASE == 5
  y(1) = 3;
#elif CASE == 6
  tensor<float> z;
#endif
}
