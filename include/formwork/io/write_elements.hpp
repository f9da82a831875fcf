#pragma once
#include <formwork/io/atomic_file.hpp>
#include <formwork/io/dtype.hpp>

#include <bit>
#include <span>

namespace formwork {

namespace detail {

/// Writes values little-endian, whatever this machine is.
template <class T>
void write_elements(file_writer& out, std::span<const T> values) {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
    out.write(values.data(), values.size_bytes());
  } else {
    for (T value : values) {
      swap_bytes(&value, 1, sizeof(T));
      out.write(&value, sizeof(T));
    }
  }
}

}  // namespace detail

}  // namespace formwork
