#pragma once
#include <formwork/model/config.hpp>
#include <formwork/tensor/storage.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>

namespace formwork {

/// The constant position code of configuration C for all positions so far met; empty where positions are
/// learned or not told.
template <class C>
class position_table {
 public:
  using scalar = typename C::precision::scalar;

  /// Makes room for sequences of up to `longest` tokens.
  void reserve(index_t longest) {
    if constexpr (fixed_position_code<typename C::position>) {
      if (longest <= longest_) return;
      longest_ = std::max<index_t>({longest, 2 * longest_, 64});
      code_.resize(longest_ * C::size.d_model);
      for (index_t p = 0; p < longest_; ++p)
        for (index_t c = 0; c < C::size.d_model; ++c)
          code_[p * C::size.d_model + c] = scalar(C::position::code(p, c, C::size.d_model));
    }
  }
  /// [positions, D]
  matrix_view<const scalar> view() const { return {code_.data(), longest_, C::size.d_model}; }

 private:
  storage<scalar> code_;
  index_t longest_ = 0;
};

/// Tokens of the longest sequence.
inline index_t longest_of(const sequences& rows) {
  index_t longest = 0;
  for (index_t b = 0; b < rows.count; ++b) longest = std::max(longest, rows.length(b));
  return longest;
}

}  // namespace formwork
