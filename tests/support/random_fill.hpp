#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork_test {

/// Normal numbers in every element; the same for the same stream number.
template <class T>
void fill_normal(formwork::matrix_view<T> x, std::uint64_t stream, double deviation = 1) {
  const formwork::random_stream random{20240229, stream};
  for (formwork::index_t r = 0; r < x.rows; ++r)
    for (formwork::index_t c = 0; c < x.width; ++c)
      x.row(r)[c] = T(deviation * random.normal(std::uint64_t(r * x.width + c)));
}

/// The same for all parameters of a store.
template <class T>
void fill_normal(formwork::parameter_store<T>& store, std::uint64_t stream = 99, double deviation = 0.5) {
  fill_normal(formwork::matrix_view<T>(store.values(), 1, store.size()), stream, deviation);
}

}  // namespace formwork_test
