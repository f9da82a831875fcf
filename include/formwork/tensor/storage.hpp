#pragma once
#include <formwork/core/error.hpp>

#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace formwork {

/// One block of memory for trivially copyable elements, zeroed.
/// Alignment: 64 bytes; 2 MiB and backed by huge pages when it is that large: a first touch of a small page
///            costs 60 times more
/// Slack:     one batch behind the last element, so whole vectors may be loaded there
/// Copies:    moves, but does not copy by accident: use `assign`
template <class T>
class storage {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  storage() = default;
  explicit storage(index_t count) { resize(count); }
  storage(storage&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  storage& operator=(storage&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~storage() { std::free(data_); }

  /// Throws away the contents and holds `count` zeros.
  void resize(index_t count) {
    if (count < 0 || count > index_t(PTRDIFF_MAX / sizeof(T)) - slack)
      fail("storage: ", count, " elements asked for");
    std::free(data_);
    data_ = nullptr;
    size_ = 0;
    const std::size_t huge = std::size_t{2} << 20, wanted = (std::size_t(count) + slack) * sizeof(T);
    const std::size_t alignment = wanted >= huge ? huge : 64;
    const std::size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    data_ = static_cast<T*>(std::aligned_alloc(alignment, bytes));
    if (!data_) fail("storage: the machine has no ", bytes, " bytes of memory left");
#if defined(__linux__)
    if (alignment == huge) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
    std::memset(static_cast<void*>(data_), 0, bytes);
    size_ = count;
  }
  /// Makes room for at least `count` elements; contents are zeroed only when the block grows.
  void reserve(index_t count) {
    if (count > size_) resize(count);
  }
  void assign(const T* source, index_t count) {
    resize(count);
    if (count) std::memcpy(static_cast<void*>(data_), source, std::size_t(count) * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  index_t size() const { return size_; }
  T& operator[](index_t i) { return data_[i]; }
  const T& operator[](index_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr index_t slack = index_t(64 / sizeof(T)) + 1;

  T* data_ = nullptr;
  index_t size_ = 0;
};

}  // namespace formwork
