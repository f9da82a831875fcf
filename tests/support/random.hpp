#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/tensor/storage.hpp>
#include <formwork/tensor/view.hpp>

#include <cstring>

namespace formwork_test {

/// `count` normal numbers; the same for the same stream number.
template <class T>
formwork::storage<T> normal_numbers(formwork::index_t count, std::uint64_t stream, double deviation = 1) {
  formwork::storage<T> out(count);
  const formwork::random_stream random{20240229, stream};
  for (formwork::index_t i = 0; i < count; ++i) out[i] = T(deviation * random.normal(std::uint64_t(i)));
  return out;
}

template <class T>
formwork::storage<T> copy_of(const formwork::storage<T>& x) {
  formwork::storage<T> out;
  out.assign(x.data(), x.size());
  return out;
}

template <class To, class From>
formwork::storage<To> converted(const formwork::storage<From>& x) {
  formwork::storage<To> out(x.size());
  for (formwork::index_t i = 0; i < x.size(); ++i) out[i] = To(x[i]);
  return out;
}

/// Equal bit for bit, so that -0 differs from 0 and a not-a-number equals itself.
template <class T>
bool same_bits(const formwork::storage<T>& a, const formwork::storage<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), std::size_t(a.size()) * sizeof(T)) == 0;
}

/// Largest |a - b|; infinity when one of them is not a number.
template <class A, class B>
double largest_difference(const formwork::storage<A>& a, const formwork::storage<B>& b) {
  double worst = a.size() == b.size() ? 0 : 1e300;
  for (formwork::index_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double difference =
        double(a[i]) > double(b[i]) ? double(a[i]) - double(b[i]) : double(b[i]) - double(a[i]);
    if (!(difference <= worst)) worst = difference == difference ? difference : 1e300;
  }
  return worst;
}

}  // namespace formwork_test
