// expect[1]: "optimizer: give every member a default value"
// expect[2]: "optimizer: keep plain numbers as members; what a weight remembers belongs into 'state'"
// expect[3]: "optimizer: add 'static constexpr formwork::label name = "
// expect[4]: "optimizer: add 'static constexpr int moments = 1;', how many numbers are kept per weight"
// expect[5]: "optimizer: add 'static constexpr int moments = 1;', how many numbers are kept per weight"
// expect[6]: "optimizer: add 'auto prepare(const formwork::update_info&) const', returning"
// expect[7]: "optimizer: add 'auto prepare(const formwork::update_info&) const', returning"
// expect[8]: "optimizer: add 'void update(V& w, V g, std::array<V, moments>& state, const prepared& p)"
// expect[9]: "optimizer: add 'void update(V& w, V g, std::array<V, moments>& state, const prepared& p)"
// expect[10]: "optimizer: make update a template: 'template <class V> void update(V& w, ...'"
#include <formwork/policy/optimizer/optimizer.hpp>

#include <string>

struct policy {
#if CASE == 1
  double& rate;
#elif CASE == 2
  std::string remark;
#endif

#if CASE != 3
  static constexpr formwork::label name = "policy";
#endif

#if CASE == 4
  int moments = 1;
#elif CASE == 5
  static constexpr int moments = -1;
#else
  static constexpr int moments = 1;
#endif

#if CASE == 6
#elif CASE == 7
  std::string prepare(const formwork::update_info&) const { return ""; }
#else
  double prepare(const formwork::update_info& u) const { return u.lr; }
#endif

#if CASE == 8
#elif CASE == 9
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) {
    w = w - V(lr) * g;
  }
#elif CASE == 10
  void update(double& w, double g, std::array<double, 1>&, double lr) const { w -= lr * g; }
#else
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    w = w - V(lr) * g;
  }
#endif
};

static_assert(formwork::explain_optimizer<policy>());
