#include <formwork/policy/norm_placement/hyper_connections.hpp>

#include <formwork/model/decoder.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/init/xavier.hpp>

#include "../../support/placement_reference.hpp"

using namespace formwork;
using formwork_test::decoder_place;
using formwork_test::placement_reference;
using row = formwork_test::row_of_numbers;
using rows = std::vector<row>;

namespace {

const std::string at[] = {"self_attention.", "cross_attention.", "ffn."};

/// m, r and b of one branch.
struct branch_weights {
  double m[4], r[4][4], b[4];
};

/// One branch of four streams: the placements differ in the weights and the names of their norms only.
rows connect(const rows& s, const branch_weights& w, const std::function<row(const row&)>& branch) {
  row h = w.m[0] * s[0];
  for (std::size_t j = 1; j < 4; ++j) h = h + w.m[j] * s[j];
  const row y = branch(h);
  rows out;
  for (std::size_t i = 0; i < 4; ++i) {
    row next = w.b[i] * y;
    for (std::size_t j = 0; j < 4; ++j) next = next + w.r[i][j] * s[j];
    out.push_back(next);
  }
  return out;
}

/// W x, W of this name.
template <class Run>
std::vector<double> product(Run& run, const std::string& name, const row& x) {
  return run.product(name, x).v;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("hyper_connections_static: each branch has weights of its own for all streams") {
  placement_reference<hyper_connections_static> run(decoder_place(1, 6, 6));
  run.expect([&](rows s) {
    for (int i = 0; i < 3; ++i) {
      const row p = run.parameter(at[i] + "streams");
      REQUIRE(p.v.size() == 24);
      branch_weights w{};
      for (int j = 0; j < 4; ++j) {
        w.m[j] = p.v[std::size_t(j)];
        w.b[j] = p.v[std::size_t(4 + 5 * j + 4)];
        for (int k = 0; k < 4; ++k) w.r[j][k] = p.v[std::size_t(4 + 5 * j + k)];
      }
      s = connect(s, w, [&](const row& h) { return run.f(i, run.norm(at[i] + "norm", h)); });
    }
    return s;
  });
}

TEST_CASE("hyper_connections: a stream's weights depend on the stream") {
  placement_reference<hyper_connections> run(decoder_place(1, 6, 6));
  run.expect([&](rows s) {
    for (int i = 0; i < 3; ++i) {
      const row c = run.parameter(at[i] + "streams.constant"), a = run.parameter(at[i] + "streams.scale");
      branch_weights w{};
      const std::string norms[] = {"norm", "norm2", "norm3", "norm4"};
      for (int j = 0; j < 4; ++j) {
        const auto said =
            product(run, at[i] + "dynamic.weight", run.norm(at[i] + norms[j], s[std::size_t(j)]));
        REQUIRE(said.size() == 6);
        w.m[j] = c.v[std::size_t(j)] + a.v[0] * std::tanh(said[0]);
        for (int k = 0; k < 4; ++k)
          w.r[k][j] = c.v[std::size_t(4 + 5 * k + j)] + a.v[0] * std::tanh(said[std::size_t(1 + k)]);
        w.b[j] = c.v[std::size_t(4 + 5 * j + 4)] + a.v[1] * std::tanh(said[5]);
      }
      s = connect(s, w, [&](const row& h) { return run.f(i, run.norm(at[i] + "norm5", h)); });
    }
    return s;
  });
}

TEST_CASE("manifold_hyper_connections: the mixture of streams is doubly stochastic") {
  placement_reference<manifold_hyper_connections> run(decoder_place(1, 6, 6));
  run.expect([&](rows s) {
    for (int i = 0; i < 3; ++i) {
      const row c = run.parameter(at[i] + "streams.constant"), a = run.parameter(at[i] + "streams.scale");
      std::vector<double> said(24);
      for (int j = 0; j < 4; ++j) {
        const std::string number = j ? std::to_string(j + 1) : "";
        const auto more = product(run, at[i] + "dynamic" + number + ".weight",
                                  run.norm(at[i] + "norm" + number, s[std::size_t(j)]));
        for (std::size_t k = 0; k < 24; ++k) said[k] += more[k];
      }
      const auto v = [&](int k, int part) {
        return c.v[std::size_t(k)] + a.v[std::size_t(part)] * said[std::size_t(k)];
      };
      branch_weights w{};
      for (int j = 0; j < 4; ++j) {
        w.m[j] = logistic(v(j, 0));
        w.b[j] = 2 * logistic(v(4 + 5 * j + 4, 2));
        for (int k = 0; k < 4; ++k) w.r[j][k] = std::exp(v(4 + 5 * j + k, 1));
      }
      for (int step = 0; step < 20; ++step) {
        for (int k = 0; k < 4; ++k) {
          const double sum = w.r[0][k] + w.r[1][k] + w.r[2][k] + w.r[3][k];
          for (int j = 0; j < 4; ++j) w.r[j][k] /= sum;
        }
        for (auto& r : w.r) {
          const double sum = r[0] + r[1] + r[2] + r[3];
          for (double& x : r) x /= sum;
        }
      }
      s = connect(s, w, [&](const row& h) { return run.f(i, run.norm(at[i] + "norm5", h)); });
    }
    return s;
  });
}

namespace {

template <class P>
struct small : config {
  static constexpr dims size{.d_model = 6, .d_ff = 8, .heads = 2, .encoder_layers = 2, .decoder_layers = 3};
  using placement = P;
};

template <class Store>
double first(Store& store, const std::string& name, int i) {
  return double(store.value(name).data[i]);
}

}  // namespace

TEST_CASE_TEMPLATE("hyper_connections: at first branch l reads stream l mod 4 and adds to all", P,
                   hyper_connections_static, hyper_connections, manifold_hyper_connections) {
  encoder_decoder<small<P>> model({7, 7}, xavier_uniform{}, 1);
  decoder<small<P>> alone(7, xavier_uniform{}, 1);
  const bool dynamic = !std::is_same_v<P, hyper_connections_static>,
             logarithms = std::is_same_v<P, manifold_hyper_connections>;
  const auto check = [&](auto& store, const std::string& branch, int l) {
    CAPTURE(branch);
    const std::string name = branch + (dynamic ? ".streams.constant" : ".streams");
    for (int j = 0; j < 4; ++j) {
      CHECK(first(store, name, j) == (logarithms ? j == l % 4 ? 0 : -8 : j == l % 4));
      CHECK(first(store, name, 4 + 5 * j + 4) == (logarithms ? 0 : 1));
      for (int k = 0; k < 4; ++k)
        CHECK(first(store, name, 4 + 5 * j + k) == (logarithms ? j == k ? 0 : -8 : j == k));
    }
    if (!dynamic) return;
    CHECK(first(store, branch + ".streams.scale", 0) == doctest::Approx(0.01));
    CHECK(first(store, branch + ".streams.scale", 1) == doctest::Approx(0.01));
    const auto w = store.value(branch + ".dynamic.weight");
    for (index_t i = 0; i < w.rows * w.width; ++i) CHECK(w.data[i] == 0);
  };
  check(model.parameters(), "encoder.0.self_attention", 0);
  check(model.parameters(), "encoder.1.ffn", 3);
  check(model.parameters(), "decoder.0.cross_attention", 1);
  check(model.parameters(), "decoder.2.self_attention", 6);
  check(model.parameters(), "decoder.2.ffn", 8);
  check(alone.parameters(), "decoder.2.ffn", 5);
  CHECK(first(model.parameters(), "encoder.0.self_attention.query.weight", 0) != 0);
}
