#include <formwork/model/check_norm.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

struct wider {
  static constexpr expr apply(expr x, label name) { return ops::linear(x, x.width() + 1, name, role::up); }
};
struct badly_named {
  static constexpr expr apply(expr x, label) { return ops::rms_norm(x, "norm"); }
};
struct without_epsilon {
  static constexpr expr apply(expr x, label name) { return ops::rms_norm(x, name, 0); }
};

/// y = x + the row above, with a gradient that is right.
template <bool Says>
struct neighbour_op {
  static constexpr label name = "neighbour";
  static constexpr unsigned mixes_rows(const node&) { return Says; }
  template <class Call>
  static void forward(const Call& c) {
    for (index_t r = 0; r < c.out.rows; ++r)
      for (index_t i = 0; i < c.out.width; ++i)
        c.out.row(r)[i] = c.in[0].row(r)[i] + c.in[0].row(std::min(r + 1, c.out.rows - 1))[i];
  }
  template <class Call>
  static void backward(const Call&) {}
};
template <bool Says>
struct neighbour {
  static constexpr expr apply(expr x, label) {
    return push(*x.g, {.op = &record_of<neighbour_op<Says>>,
                       .in = {x.id, -1, -1, -1},
                       .width = x.width(),
                       .rows = x.rows()});
  }
};
/// y = 2 x with the gradient of 3 x.
struct wrong_op {
  static constexpr label name = "wrong";
  template <class Call>
  static void forward(const Call& c) {
    cpu::map(
        c.backend, c.out, [](auto x) { return x + x; }, c.in[0]);
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::map(
        c.backend, c.d_in[0], [](auto x) { return x + x + x; }, c.d_out);
  }
};
struct wrong {
  static constexpr expr apply(expr x, label) {
    return push(*x.g,
                {.op = &record_of<wrong_op>, .in = {x.id, -1, -1, -1}, .width = x.width(), .rows = x.rows()});
  }
};
struct own_dialect : dialect {
  using ops = dialect::ops::extend<neighbour_op<true>, neighbour_op<false>, wrong_op>;
};

}  // namespace

TEST_CASE_TEMPLATE("check_norm: accepts the norms of the library, on rows and on heads", Norm, layer_norm,
                   rms_norm, unit_offset_rms_norm, scale_norm, fix_norm, cosine_norm, dyt, derf, no_norm) {
  CHECK_NOTHROW(check_norm<Norm>());
}

TEST_CASE("check_norm: names the rule that a norm breaks") {
  CHECK_THROWS_WITH_AS(check_norm<wider>(),
                       "norm: a value of 7 columns becomes one of 8, or of another token axis", error);
  CHECK_THROWS_WITH_AS(check_norm<badly_named>(),
                       doctest::Contains("norm: parameter 'norm.gain' does not begin"), error);
  CHECK_THROWS_WITH_AS(check_norm<without_epsilon>(), doctest::Contains("norm: a row of numbers of size 0"),
                       error);
  CHECK_THROWS_WITH_AS((check_norm<neighbour<true>, own_dialect>()),
                       "norm: op 'neighbour' mixes rows; a token's norm must not depend on other tokens",
                       error);
  CHECK_THROWS_WITH_AS((check_norm<neighbour<false>, own_dialect>()),
                       "norm: a row's result depends on other rows", error);
  CHECK_THROWS_WITH_AS((check_norm<wrong, own_dialect>()),
                       doctest::Contains("norm: the gradient of input 0 is wrong for 1 times 7 columns"),
                       error);
}
