#include <formwork/kernels/cpu/small_product.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>

using namespace formwork;
using namespace formwork_test;

TEST_CASE_TEMPLATE("small_product: equals plain loops for all tile shapes, orders and options", T, float,
                   double) {
  for (const index_t rows : {0, 1, 2, 3, 7, 8, 9, 17})
    for (const index_t columns : {1, 3, 16, 31, 32, 33, 70})
      for (const index_t depth : {0, 1, 5, 33})
        for (const bool add : {false, true})
          for (const bool staircase : {false, true})
            for (const bool by_columns : {false, true}) {
              const index_t longest = depth + rows, size = std::max(rows, longest) + 1;
              const auto a = normal_numbers<T>(size * size, 1),
                         b = normal_numbers<T>(longest * (columns + 2), 2),
                         scale = normal_numbers<T>(rows, 3);
              storage<T> c = normal_numbers<T>(rows * (columns + 1), 4);
              const storage<T> before = copy_of(c);
              const index_t row = by_columns ? 1 : size, step = by_columns ? size : 1;
              cpu::small_product<T>({a.data(), row, step, b.data(), columns + 2, c.data(), columns + 1, rows,
                                     columns, depth, add, staircase, add ? nullptr : scale.data()});
              double worst = 0;
              for (index_t r = 0; r < rows; ++r)
                for (index_t j = 0; j <= columns; ++j) {
                  const index_t at = r * (columns + 1) + j;
                  double sum = add || j == columns ? double(before[at]) : 0;
                  if (j < columns)
                    for (index_t k = 0; k < depth + (staircase ? r : 0); ++k)
                      sum += double(a[r * row + k * step]) * double(b[k * (columns + 2) + j]);
                  if (!add && j < columns) sum *= double(scale[r]);
                  worst = std::max(worst, std::fabs(sum - double(c[at])));
                }
              REQUIRE(worst < (std::is_same_v<T, float> ? 3e-5 : 1e-13));
            }
}

TEST_CASE_TEMPLATE("small_product: a row has the same bits in any company", T, float, double) {
  const index_t rows = 29, columns = 45, depth = 37;
  const auto a = normal_numbers<T>(rows * depth, 1), b = normal_numbers<T>(depth * columns, 2);
  storage<T> all(rows * columns), one(rows * columns), parts(rows * columns);
  cpu::small_product<T>({a.data(), depth, 1, b.data(), columns, all.data(), columns, rows, columns, depth});
  for (index_t r = 0; r < rows; ++r)
    cpu::small_product<T>({a.data() + r * depth, depth, 1, b.data(), columns, one.data() + r * columns,
                           columns, 1, columns, depth});
  CHECK(same_bits(all, one));
  // In two runs over k, the second adding to the first.
  cpu::small_product<T>({a.data(), depth, 1, b.data(), columns, parts.data(), columns, rows, columns, 11});
  cpu::small_product<T>({a.data() + 11, depth, 1, b.data() + 11 * columns, columns, parts.data(), columns,
                         rows, columns, depth - 11, true});
  CHECK(same_bits(all, parts));
}
