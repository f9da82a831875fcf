#pragma once
#include <formwork/core/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace formwork {

/// Types of elements in files; names as in safetensors.
enum class dtype { BOOL, U8, I8, I16, U16, F16, BF16, I32, U32, F32, F64, I64, U64 };

/// Every dtype once, for loops and look-ups.
inline constexpr std::array<dtype, 13> all_dtypes{
    dtype::BOOL, dtype::U8,  dtype::I8,  dtype::I16, dtype::U16, dtype::F16, dtype::BF16,
    dtype::I32,  dtype::U32, dtype::F32, dtype::F64, dtype::I64, dtype::U64};

/// The name as safetensors files spell it.
constexpr std::string_view name_of(dtype type) {
  constexpr std::string_view names[] = {"BOOL", "U8",  "I8",  "I16", "U16", "F16", "BF16",
                                        "I32",  "U32", "F32", "F64", "I64", "U64"};
  return names[std::size_t(type)];
}

/// Bytes of one element.
constexpr index_t bytes_of(dtype type) {
  constexpr index_t bytes[] = {1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8};
  return bytes[std::size_t(type)];
}

/// The type of a file's elements that equals a C++ type bit for bit. Truth values are read as std::uint8_t.
template <class T>
requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) constexpr dtype dtype_of() {
  constexpr std::size_t size = sizeof(T);
  if (std::is_floating_point_v<T>) return size == 4 ? dtype::F32 : dtype::F64;
  if (std::is_signed_v<T>)
    return size == 1 ? dtype::I8 : size == 2 ? dtype::I16 : size == 4 ? dtype::I32 : dtype::I64;
  return size == 1 ? dtype::U8 : size == 2 ? dtype::U16 : size == 4 ? dtype::U32 : dtype::U64;
}

/// A tensor as files hold it: row-major, any number of dimensions; no dimension at all is a scalar.
template <class T>
struct file_array {
  std::vector<index_t> shape;
  std::vector<T> values;
};

/// Value of an IEEE half-precision number, given by its bits. Every one has an exact float.
constexpr float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float small = float(fraction) * 0x1p-24f;
  return sign ? -small : small;
}

/// Value of a bfloat16 number, given by its bits: the upper half of a float.
constexpr float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

namespace detail {

/// Whether elements of a file may be read as T: the same type, or both floating-point.
template <class T>
constexpr bool readable_as(dtype type) {
  const bool floating = type == dtype::F16 || type == dtype::BF16 || type == dtype::F32 || type == dtype::F64;
  if (std::is_floating_point_v<T>) return floating;
  return type == dtype_of<T>() || (type == dtype::BOOL && std::is_same_v<T, std::uint8_t>);
}

inline void swap_bytes(void* data, index_t count, index_t size) {
  auto* bytes = static_cast<unsigned char*>(data);
  if (size > 1) {
    for (index_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
  }
}

template <class T>
void convert_floats(dtype type, const unsigned char* from, index_t count, T* to) {
  const auto element = [&]<class S>(S, index_t i) {
    S value;
    std::memcpy(&value, from + std::size_t(i) * sizeof(S), sizeof(S));
    return value;
  };
  for (index_t i = 0; i < count; ++i) {
    if (type == dtype::F16) to[i] = T(half_to_float(element(std::uint16_t{}, i)));
    if (type == dtype::BF16) to[i] = T(bfloat16_to_float(element(std::uint16_t{}, i)));
    if (type == dtype::F32) to[i] = T(element(float{}, i));
    if (type == dtype::F64) to[i] = T(element(double{}, i));
  }
}

/// Reads `count` elements through `read(offset, to, bytes)` from `offset` on, as T. Equal types go straight
/// to their place; others pass through a small block.
/// Requires: readable_as<T>(type) (unchecked)
template <class T, class Read>
void read_elements(Read&& read, index_t offset, dtype type, bool big_endian, index_t count, T* to) {
  const index_t size = bytes_of(type);
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  if (!std::is_floating_point_v<T> || type == dtype_of<T>()) {
    read(offset, static_cast<void*>(to), count * size);
    if (swap) swap_bytes(to, count, size);
    return;
  }
  std::vector<unsigned char> block(std::size_t((std::min)(count, index_t{8192}) * size));
  for (index_t done = 0; done < count;) {
    const index_t some = (std::min)(count - done, index_t{8192});
    read(offset + done * size, static_cast<void*>(block.data()), some * size);
    if (swap) swap_bytes(block.data(), some, size);
    if constexpr (std::is_floating_point_v<T>) convert_floats(type, block.data(), some, to + done);
    done += some;
  }
}

/// Product of the dimensions times `size`, or -1 where a dimension is negative or 63 bits do not hold it.
inline index_t bytes_of_shape(const std::vector<index_t>& shape, index_t size) {
  index_t bytes = size;
  for (const index_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return -1;
  }
  return bytes;
}

/// "[2, 3]", for errors.
inline std::string text_of_shape(const std::vector<index_t>& shape) {
  std::string out = "[";
  for (const index_t extent : shape) out += text(out.size() > 1 ? ", " : "", extent);
  return out + "]";
}

}  // namespace detail

}  // namespace formwork
