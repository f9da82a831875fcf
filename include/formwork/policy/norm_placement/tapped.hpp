#pragma once
#include <formwork/policy/norm_placement/norm_placement.hpp>

#include <utility>

namespace formwork {

/// What a tapped placement shows of each sub-layer.
enum class tap : std::uint8_t {
  branch,  ///< f's result, dropout included
  state    ///< what flows on, of the first stream
};

/// Placement P, and three more streams that carry what each sub-layer of the layer made: behind P's own
/// streams one for self-attention, one for cross-attention, one for the feed-forward block. The model has the
/// same parameters under the same names; training never needs this. See model/observe.hpp.
/// Requires: one stream at most in P; `tap::state` needs an equation of sub-layers, not of the whole layer
template <norm_placement P, tap What>
struct tapped;

namespace detail {

constexpr std::size_t tap_of(sublayer part) { return 1 + std::size_t(part); }

/// f, and a place for its result.
template <class F>
struct tapped_branch {
  F f;
  expr* result;
  constexpr expr operator()(expr x) const { return *result = f(x); }
};

}  // namespace detail

template <norm_placement P, tap What>
requires detail::has_block<P>
struct tapped<P, What> : P {
  static constexpr int streams = 4;
  static constexpr std::array<expr, 4> block(std::array<expr, 4> s, auto f, auto norm) {
    expr branch{};
    s[0] = P::block(s[0], detail::tapped_branch<decltype(f)>{f, &branch}, norm);
    s[detail::tap_of(norm.part)] = What == tap::branch ? branch : s[0];
    return s;
  }
};

template <norm_placement P, tap What>
requires detail::has_layer<P>
struct tapped<P, What> : P {
  static_assert(What == tap::branch,
                "tapped: an equation of a whole layer has no state behind each sub-layer; use tap::branch");
  static_assert(streams_of<P> == 1, "tapped: the placement must have one stream");
  static constexpr int streams = 4;
  static constexpr std::array<expr, 4> layer(std::array<expr, 4> s, auto norm, auto... f) {
    expr branch[sizeof...(f)]{};
    s[0] = run(s[0], norm, branch, std::index_sequence_for<decltype(f)...>{}, f...);
    for (std::size_t i = 0; i < sizeof...(f); ++i)
      s[sizeof...(f) == 3 || i == 0 ? 1 + i : detail::tap_of(sublayer::feed_forward)] = branch[i];
    return s;
  }

 private:
  template <std::size_t... Part>
  static constexpr expr run(expr x, auto norm, expr* branch, std::index_sequence<Part...>, auto... f) {
    return P::layer(std::array{x}, norm, detail::tapped_branch<decltype(f)>{f, branch + Part}...)[0];
  }
};

template <norm_placement P, tap What>
requires detail::has_sections<P>
struct tapped<P, What> : P {
  using lower = tapped<typename P::lower, What>;
  using upper = tapped<typename P::upper, What>;
  static constexpr expr merge(std::array<expr, 4> s, auto) { return s[0]; }
};

}  // namespace formwork
