#include <formwork/policy/optimizer/check.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

namespace {

// A correct policy with one fault each, to see that the check finds it.
struct sound {
  static constexpr label name = "sound";
  static constexpr int moments = 1;
  double prepare(const update_info& u) const { return u.lr; }
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    w = w - V(lr) * g;
  }
};

struct climbs : sound {
  double prepare(const update_info& u) const { return -u.lr; }
};

struct drifts : sound {
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    w = w - V(lr) * (g + V(0.001) * w);  // decays although it must not
  }
};

struct divides : sound {
  template <class V>
  void update(V& w, V g, std::array<V, 1>& s, double lr) const {
    s[0] = V(0.9) * s[0] + V(0.1) * g * g;
    w = w - V(lr) * g / s[0];  // 0 / 0 for gradient 0
  }
};

struct mixes_lanes : sound {
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    if constexpr (std::is_floating_point_v<V>)
      w = w - V(lr) * g;
    else
      w = w - V(lr) * V(simd::highest(g));
  }
};

struct underflows : sound {
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    const V tiny(1e-60);  // 0 in single precision
    w = w - V(lr) * (g * tiny) * V(1e30) * V(1e30);
  }
};

template <class Optimizer>
std::string complaint(const Optimizer& policy) {
  try {
    check_optimizer(policy);
    return "";
  } catch (const error& e) {
    return e.what();
  }
}

bool contains(const std::string& sentence, const char* part) {
  return sentence.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("check_optimizer: accepts a sound policy") { CHECK(complaint(sound{}) == ""); }

TEST_CASE("check_optimizer: names the rule that a policy breaks") {
  CHECK(contains(complaint(climbs{}), "optimizer sound: 1000 updates bring the loss of a quadratic from"));
  CHECK(contains(complaint(drifts{}), "1000 updates by gradient 0 without decay move weight 1 to"));
  CHECK(contains(complaint(divides{}), "nan"));
  CHECK(contains(complaint(mixes_lanes{}), "SIMD batches and single numbers differ at weight"));
  CHECK(contains(complaint(underflows{}), "float and double differ at weight"));
}
