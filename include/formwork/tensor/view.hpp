#pragma once
#include <formwork/core/sequences.hpp>

namespace formwork {

/// Rows of one width in memory that somebody else owns: element (r, c) is data[r * stride + c].
/// Kernels take these; a column block of a wider buffer is the same type with the wider stride.
template <class T>
struct matrix_view {
  T* data = nullptr;
  index_t rows = 0;
  index_t width = 0;
  index_t stride = 0;

  constexpr matrix_view() = default;
  constexpr matrix_view(T* data, index_t rows, index_t width) : matrix_view(data, rows, width, width) {}
  constexpr matrix_view(T* data, index_t rows, index_t width, index_t stride)
      : data(data), rows(rows), width(width), stride(stride) {}

  constexpr T* row(index_t r) const { return data + r * stride; }
  constexpr bool contiguous() const { return stride == width; }
  constexpr matrix_view columns(index_t first, index_t count) const {
    return {data + first, rows, count, stride};
  }
  constexpr matrix_view slice(index_t first, index_t count) const {
    return {row(first), count, width, stride};
  }
  constexpr operator matrix_view<const T>() const { return {data, rows, width, stride}; }
};

}  // namespace formwork
