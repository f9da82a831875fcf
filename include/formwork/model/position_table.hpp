#pragma once
#include <formwork/core/error.hpp>
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

  /// Makes room for sequences of up to `longest` tokens. A code that knows only so many positions is asked
  /// for no others: its table ends there, and a longer sequence is an error of the op that reads it.
  void reserve(index_t longest) {
    constexpr index_t most = index_t{1} << 36;  // no size overflows
    if (longest > most) fail("position code: ", longest, " positions asked for, expected at most ", most);
    if constexpr (fixed_position_code<typename C::position>) {
      const index_t count =
          std::min(std::max<index_t>({longest, 2 * longest_, 64}), longest_sequence<typename C::position>);
      if (longest <= longest_ || count == longest_) return;
      storage<scalar> code(count * C::size.d_model);
      for (index_t p = 0; p < count; ++p)
        for (index_t c = 0; c < C::size.d_model; ++c)
          code[p * C::size.d_model + c] = scalar(C::position::code(p, c, C::size.d_model));
      code_ = std::move(code);
      longest_ = count;
    }
  }
  /// [positions, D]
  matrix_view<const scalar> view() const { return {code_.data(), longest_, C::size.d_model}; }

 private:
  storage<scalar> code_;
  index_t longest_ = 0;
};

/// Tokens of the longest sequence.
/// Requires: sequences that stand one after the other from 0 on (checked)
inline index_t longest_of(const sequences& rows) {
  index_t longest = 0;
  for (index_t b = 0; b < rows.count; ++b) {
    if (rows.begin(0) != 0 || rows.length(b) < 0)
      fail("batch: sequence ", b + 1, " lies from token ", rows.begin(b), " to ", rows.begin(b + 1),
           ", expected sequences one after the other from 0 on");
    longest = std::max(longest, rows.length(b));
  }
  return longest;
}

}  // namespace formwork
