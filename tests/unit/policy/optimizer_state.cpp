#include <formwork/policy/optimizer/state.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>

#include <map>

using namespace formwork;

namespace {

// Parameters of a small model and made-up gradients for them.
template <class T>
struct small_parameters {
  std::vector<parameter_info> infos{{.role = role::embedding, .rows = 7, .columns = 3},
                                    {.role = role::up, .rows = 5, .columns = 3},
                                    {.role = role::bias, .rows = 5, .columns = 1},
                                    {.role = role::head, .rows = 130, .columns = 140}};
  std::vector<T> values, gradients;

  small_parameters() {
    for (const parameter_info& info : infos)
      for (index_t i = 0; i < info.size(); ++i) values.push_back(T((i * 29) % 97 - 48) / 32);
    gradients.resize(values.size());
    renew(1);
  }
  void renew(step_t step) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      gradients[i] = T((index_t(i) * 31 + 7 * step) % 89 - 44) / 32;
  }
  std::vector<trained_parameter<T>> list() {
    std::vector<trained_parameter<T>> out;
    index_t at = 0;
    for (const parameter_info& info : infos) {
      out.push_back({out.size(), info, values.data() + at, gradients.data() + at});
      at += info.size();
    }
    return out;
  }
  T first(std::size_t parameter) { return *list()[parameter].value; }
};

template <class T, class O>
std::vector<T> trained(const O& policy, int threads, step_t steps = 5, double scale = 0.5) {
  small_parameters<T> p;
  cpu_backend backend(threads);
  optimizer_state<T, O> state(policy, p.list());
  for (step_t step = 1; step <= steps; ++step) {
    p.renew(step);
    state.update(backend, step, 0.01, scale);
  }
  return p.values;
}

/// Gradient descent by the norm of each parameter's gradient: a step has the length of the rate. A number of
/// the run is the sum of squares over all parameters, to be seen from outside.
struct normed {
  static constexpr label name = "normed";
  static constexpr int moments = 0, sums = 1;
  struct run_state {
    double total = 0, updates = 0;
  };
  struct prepared {
    double rate, total;
  };
  prepared prepare(const update_info& u, const run_state& r) const { return {u.lr, r.total}; }
  template <class V>
  std::array<V, 1> measure(V, V g, std::array<V, 0>, const prepared&) const {
    return {g * g};
  }
  void advance(run_state& r, const update_info& u, const std::array<double, 1>& sums) const {
    r = {sums[0], double(u.step)};
  }
  void conclude(prepared& p, const std::array<double, 1>& sums, const update_info&) const {
    p.rate /= std::sqrt(sums[0]);
  }
  template <class V>
  void update(V& w, V g, std::array<V, 0>&, const prepared& p) const {
    w = w - V(p.rate) * g;
  }
};
static_assert(optimizer<normed>);

/// Leaves an average in its moment; the average is what counts.
struct averaged {
  static constexpr label name = "averaged";
  static constexpr int moments = 1;
  double prepare(const update_info& u) const { return u.lr; }
  template <class V>
  void update(V& w, V g, std::array<V, 1>& mean, double lr) const {
    w = w - V(lr) * g;
    mean[0] = V(0.5) * (mean[0] + w);
  }
  template <class V>
  V evaluated(V, const std::array<V, 1>& mean) const {
    return mean[0];
  }
};
static_assert(optimizer<averaged> && optimizer_with_views<averaged>);

/// Gradient descent on hidden matrices, by their rows' sums that are kept; everything else by adamw.
struct by_rows {
  static constexpr label name = "by_rows";
  adamw rest{};
  static bool takes(const parameter_info& p) { return p.role <= role::down; }
  void adjust(update_info& u) const {
    if (takes(u.parameter)) u.lr *= 0.5;
  }
  index_t kept(index_t rows, index_t) const { return rows; }
  index_t scratch(index_t, index_t columns) const { return columns; }
  template <class Backend, class T>
  void step(Backend&, const matrix_update<T>& u) const {
    for (index_t r = 0; r < u.w.rows; ++r)
      for (index_t c = 0; c < u.w.width; ++c) {
        u.kept[r] += u.g.row(r)[c];
        u.w.row(r)[c] -= T(u.info.lr) * u.kept[r];
      }
  }
};
static_assert(optimizer<by_rows> && matrix_optimizer<by_rows>);

}  // namespace

TEST_CASE("optimizer state: an element-wise optimizer moves every weight by its own rule") {
  small_parameters<double> p;
  const auto before = p.values;
  const std::vector<double> found = trained<double>(adamw{.weight_decay = 0.5}, 1);
  std::size_t at = 0;
  for (const parameter_info& info : p.infos)
    for (index_t i = 0; i < info.size(); ++i, ++at) {
      double w = before[at];
      std::array<double, 2> moments{};
      for (step_t step = 1; step <= 5; ++step) {
        p.renew(step);
        const adamw policy{.weight_decay = 0.5};
        policy.update(w, p.gradients[at] * 0.5, moments,
                      policy.prepare({.step = step, .lr = 0.01, .decays = is_matrix(info.role)}));
      }
      REQUIRE(found[at] == doctest::Approx(w).epsilon(1e-13));
    }
}

TEST_CASE("optimizer state: sums are of one parameter in conclude, of all in advance") {
  small_parameters<double> p;
  const auto before = p.values;
  cpu_backend backend(1);
  optimizer_state<double, normed> state(normed{}, p.list());
  state.update(backend, 3, 0.25, 0.5);
  std::size_t at = 0;
  double all = 0;
  for (const parameter_info& info : p.infos) {
    double sum = 0;
    for (index_t i = 0; i < info.size(); ++i) {
      sum += std::pow(p.values[at + std::size_t(i)] - before[at + std::size_t(i)], 2);
      all += std::pow(0.5 * p.gradients[at + std::size_t(i)], 2);
    }
    at += std::size_t(info.size());
    CHECK(std::sqrt(sum) == doctest::Approx(0.25).epsilon(1e-12));
  }
  std::map<std::string, double> numbers;
  state.each_number([&](const std::string& name, double& number) { numbers[name] = number; });
  CHECK(numbers.size() == 2);
  CHECK(numbers["optimizer.0.0"] == doctest::Approx(all).epsilon(1e-12));
  CHECK(numbers["optimizer.0.1"] == 3);
}

TEST_CASE("optimizer state: the bits do not depend on the number of threads") {
  CHECK(trained<float>(adamw{}, 1) == trained<float>(adamw{}, 3));
  CHECK(trained<float>(normed{}, 1) == trained<float>(normed{}, 3));
  CHECK(trained<float>(by_rows{}, 1) == trained<float>(by_rows{}, 3));
}

TEST_CASE("optimizer state: what was kept, put into another one, goes on with the same bits") {
  const auto resumed = []<class O>(const O& policy) {
    small_parameters<float> p;
    cpu_backend backend(2);
    optimizer_state<float, O> first(policy, p.list()), second(policy, p.list());
    for (step_t step = 1; step <= 5; ++step) {
      p.renew(step);
      (step <= 3 ? first : second).update(backend, step, 0.01, 0.5);
      if (step != 3) continue;
      std::map<std::string, std::vector<float>> kept;
      std::map<std::string, double> numbers;
      const auto name = [](const std::string& prefix, const trained_parameter<float>& parameter) {
        return text(prefix, parameter.number);
      };
      first.each_kept([&](const std::string& prefix, const auto& parameter, float* data, index_t n) {
        kept[name(prefix, parameter)].assign(data, data + n);
      });
      first.each_number([&](const std::string& key, double& number) { numbers[key] = number; });
      second.each_kept([&](const std::string& prefix, const auto& parameter, float* data, index_t n) {
        const auto& from = kept.at(name(prefix, parameter));
        REQUIRE(index_t(from.size()) == n);
        std::copy(from.begin(), from.end(), data);
      });
      second.each_number([&](const std::string& key, double& number) { number = numbers.at(key); });
    }
    return p.values;
  };
  CHECK(resumed(adamw{}) == trained<float>(adamw{}, 1));
  CHECK(resumed(normed{}) == trained<float>(normed{}, 1));
  CHECK(resumed(by_rows{}) == trained<float>(by_rows{}, 1));
}

TEST_CASE("optimizer state: parameters that an optimizer does not take go to the other one") {
  small_parameters<double> p;
  const std::vector<double> found = trained<double>(by_rows{}, 1), adam = trained<double>(adamw{}, 1);
  std::size_t at = 0;
  for (const parameter_info& info : p.infos)
    for (index_t i = 0; i < info.size(); ++i, ++at) CHECK((found[at] == adam[at]) == (info.role != role::up));
  // by_rows, by hand for one row: its rate is half the given one
  double w[3], kept = 0;
  for (int c = 0; c < 3; ++c) w[c] = p.values[std::size_t(21 + c)];
  for (step_t step = 1; step <= 5; ++step) {
    p.renew(step);
    for (int c = 0; c < 3; ++c) {
      kept += 0.5 * p.gradients[std::size_t(21 + c)];
      w[c] -= 0.005 * kept;
    }
  }
  for (int c = 0; c < 3; ++c) CHECK(found[std::size_t(21 + c)] == doctest::Approx(w[c]).epsilon(1e-13));
  CHECK(optimizer_name<by_rows>() == "by_rows, adamw");
  CHECK(optimizer_name<adamw>() == "adamw");
}

TEST_CASE("optimizer state: weights to evaluate are made from the moments") {
  small_parameters<double> p;
  const auto before = p.values;
  cpu_backend backend(1);
  optimizer_state<double, averaged> state(averaged{}, p.list());
  CHECK(state.has_views());
  CHECK_FALSE(optimizer_state<double, adamw>::has_views());
  state.update(backend, 1, 0.5);
  const auto moved = p.values;
  state.show_evaluated(backend);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(moved[i] == before[i] - 0.5 * p.gradients[i]);
    REQUIRE(p.values[i] == 0.5 * moved[i]);
  }
}

TEST_CASE("optimizer state: numbers that make no sense are refused") {
  small_parameters<double> p;
  CHECK_THROWS_AS((optimizer_state<double, adamw>(adamw{.beta1 = 1}, p.list())), error);
  CHECK_THROWS_AS((optimizer_state<double, by_rows>(by_rows{.rest = {.beta1 = 1}}, p.list())), error);
}
