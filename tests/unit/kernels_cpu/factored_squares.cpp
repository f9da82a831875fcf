#include <formwork/kernels/cpu/factored_squares.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>
#include <vector>

using namespace formwork;

namespace {

struct problem {
  index_t rows, columns;
  storage<float> g, w, row, column;

  problem(index_t rows, index_t columns)
      : rows(rows),
        columns(columns),
        g(formwork_test::normal_numbers<float>(rows * columns, 1)),
        w(formwork_test::normal_numbers<float>(rows * columns, 2)),
        row(formwork_test::normal_numbers<float>(rows, 3)),
        column(formwork_test::normal_numbers<float>(columns, 4)) {}
  matrix_view<float> gradient() { return {g.data(), rows, columns}; }
};

}  // namespace

TEST_CASE("factored squares: sums of rows and columns, scaled sums and steps agree with plain loops") {
  const std::pair<index_t, index_t> shapes[] = {{1, 1}, {1, 7}, {13, 1}, {33, 65}, {700, 130}};
  for (const auto& shape : shapes) {
    const index_t rows = shape.first, columns = shape.second;
    CAPTURE(rows);
    CAPTURE(columns);
    problem p(rows, columns);
    cpu_backend backend(2);
    std::vector<float> of_rows(std::size_t(rows), -1.0f), of_columns(std::size_t(columns), -1.0f);
    cpu::row_and_column_squares<float>(backend, p.gradient(), of_rows.data(), of_columns.data());
    std::vector<double> r(of_rows.size()), c(of_columns.size());
    double scaled = 0;
    std::vector<double> moved;
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) {
        const double g = double(p.g[i * columns + j]), u = double(p.row[i]) * g * double(p.column[j]);
        r[std::size_t(i)] += g * g;
        c[std::size_t(j)] += g * g;
        scaled += u * u;
        moved.push_back(0.75 * double(p.w[i * columns + j]) - 0.5 * u);
      }
    for (std::size_t i = 0; i < r.size(); ++i)
      CHECK(double(of_rows[i]) == doctest::Approx(r[i]).epsilon(1e-5));
    for (std::size_t j = 0; j < c.size(); ++j)
      CHECK(double(of_columns[j]) == doctest::Approx(c[j]).epsilon(1e-5));
    CHECK(cpu::sum_of_scaled_squares<float>(backend, p.gradient(), p.row.data(), p.column.data()) ==
          doctest::Approx(scaled).epsilon(1e-5));
    cpu::subtract_scaled<float>(backend, {p.w.data(), rows, columns}, p.gradient(), p.row.data(),
                                p.column.data(), 0.75, 0.5);
    for (std::size_t i = 0; i < moved.size(); ++i)
      REQUIRE(double(p.w[index_t(i)]) == doctest::Approx(moved[i]).epsilon(1e-5));
  }
}

TEST_CASE("factored squares: the bits do not depend on the number of threads") {
  problem p(1000, 37);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    std::vector<float> sums(1037);
    cpu::row_and_column_squares<float>(backend, p.gradient(), sums.data(), sums.data() + 1000);
    sums.push_back(
        float(cpu::sum_of_scaled_squares<float>(backend, p.gradient(), p.row.data(), p.column.data())));
    results.push_back(sums);
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}
