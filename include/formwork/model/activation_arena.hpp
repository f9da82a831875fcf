#pragma once
#include <formwork/core/error.hpp>
#include <formwork/graph/extent.hpp>
#include <formwork/tensor/storage.hpp>

#include <algorithm>

namespace formwork {

/// The memory of a model's passes, for batches of up to certain numbers of source and target tokens. Offsets
/// are computed with these numbers, so nothing moves from batch to batch.
template <class T>
class activation_arena {
 public:
  /// Makes room for `total` at these numbers of tokens. What was in it is lost where it grows. Where the
  /// machine has no memory left it holds nothing afterwards and may be asked for less.
  /// Requires: at most 2^36 tokens a side, so that no size overflows (checked)
  void reserve(extent total, index_t source_rows, index_t target_rows) {
    constexpr index_t most = index_t{1} << 36;
    if (source_rows > most || target_rows > most)
      fail("model: memory for batches of ", source_rows, " and ", target_rows,
           " tokens asked for, expected at most ", most);
    if (source_rows <= source_rows_ && target_rows <= target_rows_) return;
    const auto whole = [](index_t rows) { return (rows + 15) / 16 * 16; };
    const index_t source = std::max(source_rows_, whole(source_rows)),
                  target = std::max(target_rows_, whole(target_rows));
    source_rows_ = target_rows_ = 0;
    memory_.resize(total.at(source, target));
    source_rows_ = source;
    target_rows_ = target;
  }

  T* at(extent offset) { return memory_.data() + offset.at(source_rows_, target_rows_); }
  index_t source_rows() const { return source_rows_; }
  index_t target_rows() const { return target_rows_; }

 private:
  storage<T> memory_;
  index_t source_rows_ = 0, target_rows_ = 0;
};

}  // namespace formwork
