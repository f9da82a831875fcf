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
// expect[11]: "optimizer: write 'static constexpr int sums = 1;', 1 or more"
// expect[12]: "optimizer: add 'template <class V> std::array<V, sums> measure(V w, V g, "
// expect[13]: "optimizer: add 'void conclude(prepared&, const std::array<double, sums>&, "
// expect[14]: "optimizer: run_state must be a plain struct of doubles with default values"
// expect[15]: "optimizer: add 'void advance(run_state&, const formwork::update_info&) const'"
// expect[16]: "optimizer: make evaluated a template: 'template <class V> V evaluated(V w, ...'"
// expect[17]: "optimizer: add 'template <class V> void observe(V g, std::array<V, moments>& state, "
// expect[18]: "optimizer: 'bool takes(const formwork::parameter_info&) const' and a member 'rest' need"
// expect[19]: "optimizer: add 'formwork::index_t scratch(formwork::index_t rows, "
// expect[20]: "optimizer: add 'template <class Backend, class T> void step(Backend&, "
// expect[21]: "cautious: the inner optimizer needs 'V step(V g, std::array<V, moments>& state, "
// expect[22]: "lookahead: the inner optimizer must be element-wise, without sums, views and sampled labels"
// expect[23]: "groups: the first optimizer has a rest of its own; set that one"
// expect[24]: "optimizer: moment_type can be formwork::bfloat16, or left out"
// expect[25]: "bf16_moments: the inner optimizer must be element-wise and have moments"
// expect[26]: "bf16_moments: the inner optimizer keeps weights among its moments"
#include <formwork/policy/optimizer/bf16_moments.hpp>
#include <formwork/policy/optimizer/cautious.hpp>
#include <formwork/policy/optimizer/groups.hpp>
#include <formwork/policy/optimizer/lookahead.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

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

  // Optional members.
#if CASE == 11
  static constexpr int sums = 0;
#elif CASE == 12 || CASE == 13
  static constexpr int sums = 1;
#endif
#if CASE == 13
  template <class V>
  std::array<V, 1> measure(V w, V, std::array<V, 1>, double) const {
    return {w};
  }
#endif
#if CASE == 14
  struct run_state {
    float sum = 0;
  };
  void advance(run_state&, const formwork::update_info&) const {}
#elif CASE == 15
  struct run_state {
    double sum = 0;
  };
#endif
#if CASE == 24
  using moment_type = float;
#endif
#if CASE == 16
  double evaluated(double w, const std::array<double, 1>&) const { return w; }
#elif CASE == 17
  bool samples_labels(formwork::step_t) const { return true; }
#elif CASE == 18
  formwork::plain_sgd rest{};
#elif CASE == 19
  formwork::index_t kept(formwork::index_t, formwork::index_t) const { return 0; }
#elif CASE == 20
  formwork::index_t kept(formwork::index_t, formwork::index_t) const { return 0; }
  formwork::index_t scratch(formwork::index_t, formwork::index_t) const { return 0; }
#endif
};

#if CASE == 21
static_assert(formwork::explain_optimizer<formwork::cautious<formwork::adam>>());
#elif CASE == 22
static_assert(formwork::explain_optimizer<formwork::lookahead<formwork::schedule_free_sgd>>());
#elif CASE == 25
static_assert(formwork::explain_optimizer<formwork::bf16_moments<formwork::plain_sgd>>());
#elif CASE == 26
static_assert(formwork::explain_optimizer<formwork::bf16_moments<formwork::schedule_free_sgd>>());
#elif CASE == 23
using split = formwork::groups<formwork::sgd, formwork::adamw, formwork::hidden_matrices>;
static_assert(
    formwork::explain_optimizer<formwork::groups<split, formwork::adamw, formwork::hidden_matrices>>());
#endif

static_assert(formwork::explain_optimizer<policy>());
