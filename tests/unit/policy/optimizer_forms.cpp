#include <formwork/policy/optimizer/forms.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

namespace {

struct plain {
  static constexpr int moments = 1;
  double prepare(const update_info& u) const { return u.lr; }
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    w = w - V(lr) * g;
  }
};

struct with_run {
  static constexpr int moments = 0;
  struct run_state {
    double total = 0;
  };
  double prepare(const update_info& u, const run_state& r) const { return u.lr + r.total; }
  template <class V>
  void update(V& w, V g, std::array<V, 0>&, double lr) const {
    w = w - V(lr) * g;
  }
};

struct whole {
  index_t kept(index_t rows, index_t columns) const { return rows + columns; }
  index_t scratch(index_t, index_t) const { return 0; }
  template <class Backend, class T>
  void step(Backend&, const matrix_update<T>&) const {}
};

}  // namespace

static_assert(elementwise_optimizer<plain> && elementwise_optimizer<with_run> &&
              !elementwise_optimizer<whole>);
static_assert(matrix_optimizer<whole> && !matrix_optimizer<plain>);
static_assert(!optimizer_with_views<plain> && !optimizer_with_samples<plain>);
static_assert(std::is_same_v<run_state_of<with_run>, with_run::run_state>);
static_assert(std::is_empty_v<run_state_of<plain>>);
static_assert(std::is_same_v<detail::prepared_type<with_run>, double>);
static_assert(!detail::has_sums<plain> && !detail::has_rest<plain> && !detail::adjusts<plain>);

TEST_CASE("optimizer forms: prepare gets the numbers of the run where there are some") {
  CHECK(detail::prepare(plain{}, {.lr = 0.5}, {}) == 0.5);
  CHECK(detail::prepare(with_run{}, {.lr = 0.5}, {.total = 0.25}) == 0.75);
}
