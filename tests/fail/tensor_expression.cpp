// expect[1]: "tensor expression: the operands' extents cannot be broadcast together"
// expect[2]: "tensor expression: its extents do not fit the destination's"
// expect[3]: "tensor expression: an operand is a temporary tensor that would be gone; give it a name first"
// expect[4]: "tensor expression: the operands have different element types"
// expect[5]: "tensor expression: the destination has another element type"
// expect[6]: "evaluate: the destination is read-only"
// expect[7]: "tensor expression: an operand is a temporary tensor that would be gone; give it a name first"
// expect[8]: "tensor: the expression's extents do not fit the tensor's"
#include <formwork/kernels/cpu/evaluate.hpp>

using namespace formwork;

tensor<float, dynamic, 8> make() { return tensor<float, dynamic, 8>(2); }

void use() {
  tensor<float, dynamic, 8> a(2), y(2);
  tensor<float, dynamic, 9> wide(2);
  tensor<double, dynamic, 8> exact(2);
#if CASE == 0
  y = a + 2 * a;
  const tensor<float, dynamic, 1> sum(row_sum(a));
#elif CASE == 1
  y = a + wide;
#elif CASE == 2
  y = 2 * wide;
#elif CASE == 3
  y = a + make();
#elif CASE == 4
  y = a + exact;
#elif CASE == 5
  y = exact * 2;
#elif CASE == 6
  const auto& constant = y;
  evaluate(constant.view(), a + 1);
#elif CASE == 7
  y = row_sum(make());
#elif CASE == 8
  const tensor<float, dynamic, 1> sum(a + 1);
#endif
}
