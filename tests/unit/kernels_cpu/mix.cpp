#include <formwork/kernels/cpu/mix.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace formwork;

TEST_CASE("cpu mix: column blocks as terms, weights and results, written or added to") {
  cpu_backend backend(2);
  constexpr index_t rows = 19, width = 13;
  for (const bool add : {false, true}) {
    CAPTURE(add);
    std::vector<double> wide(rows * 40), weight(rows * 5), gradient(rows * 40, 2.0), slope(rows * 5, 3.0),
        result(rows * 40, -1.0);
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = double(int(i * 7 % 23) - 11);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = double(int(i * 5 % 11) - 5);
    const auto block = [&](std::vector<double>& v, index_t stride, index_t first, index_t count) {
      return matrix_view<double>(v.data() + first, rows, count, stride);
    };
    const matrix_view<double> x[] = {block(wide, 40, 0, width), block(wide, 40, 14, width)},
                              dx[] = {block(gradient, 40, 0, width), block(gradient, 40, 14, width)},
                              w = block(weight, 5, 1, 2), y = block(result, 40, 3, width),
                              dw = block(slope, 5, 2, 2);
    const bool adds[] = {add, add};
    cpu::mix<double>(backend, x, w, y);
    cpu::mix_backward<double>(backend, x[1], x, w, dx, adds, dw, add);
    for (index_t r = 0; r < rows; ++r) {
      double along[2] = {add ? 3.0 : 0.0, add ? 3.0 : 0.0};
      for (index_t c = 0; c < width; ++c) {
        CHECK(y.row(r)[c] == w.row(r)[0] * x[0].row(r)[c] + w.row(r)[1] * x[1].row(r)[c]);
        for (int t = 0; t < 2; ++t) {
          CHECK(dx[t].row(r)[c] == w.row(r)[t] * x[1].row(r)[c] + (add ? 2 : 0));
          along[t] += x[1].row(r)[c] * x[t].row(r)[c];
        }
      }
      CHECK((dw.row(r)[0] == along[0] && dw.row(r)[1] == along[1]));
      CHECK((result[std::size_t(r * 40 + 2)] == -1 && result[std::size_t(r * 40 + 16)] == -1));
      CHECK((gradient[std::size_t(r * 40 + 13)] == 2 && gradient[std::size_t(r * 40 + 27)] == 2));
      CHECK((slope[std::size_t(r * 5 + 1)] == 3 && slope[std::size_t(r * 5 + 4)] == 3));
    }
  }
}

TEST_CASE("cpu mix: shapes that differ are a sentence") {
  cpu_backend backend(1);
  double numbers[12]{};
  const matrix_view<double> x[] = {{numbers, 2, 3}, {numbers, 2, 2}}, y(numbers + 6, 2, 3);
  const matrix_view<const double> two(numbers, 2, 2), none(numbers, 2, 0), short_of_rows(numbers, 1, 1);
  CHECK_THROWS_WITH(cpu::mix<double>(backend, x, two, y),
                    "mix: 2 terms with weights for 2 rows, the result is [2, 3]; expected at least one term, "
                    "weights for each row and equal shapes");
  CHECK_THROWS(cpu::mix<double>(backend, x, none, y));
  CHECK_THROWS(cpu::mix<double>(backend, x, short_of_rows, y));
}
