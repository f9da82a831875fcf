// Cross entropy and both conventions of label smoothing against PyTorch. The projection is the identity, so
// that the logits are what the file says.
#include <doctest/doctest.h>

#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/model/loss.hpp>

#include "../support/torch_reference.hpp"

using namespace formwork;
using formwork_test::torch_reference;

namespace {

constexpr index_t vocabulary = 23;

/// `name` is a sum over the rows that are no padding, or their mean.
void compare(const std::string& name, const smoothed_cross_entropy& loss, bool mean) {
  CAPTURE(name);
  const torch_reference file("losses");
  const std::vector<double> logits = file.values("logits"), gradient = file.values(name + ".dlogits");
  const std::vector<std::int64_t> targets = file.file().tensor<std::int64_t>("target").values;
  std::vector<double> x, expected, dx(logits.size()), weight(vocabulary * vocabulary), dweight(weight.size());
  std::vector<token_t> tokens;
  for (std::size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] == 0) continue;  // padding
    tokens.push_back(token_t(targets[r]));
    const auto row = [&](const std::vector<double>& m) { return m.begin() + std::ptrdiff_t(r) * vocabulary; };
    x.insert(x.end(), row(logits), row(logits) + vocabulary);
    expected.insert(expected.end(), row(gradient), row(gradient) + vocabulary);
  }
  REQUIRE((tokens.size() > 10 && tokens.size() < targets.size()));
  for (std::size_t v = 0; v < vocabulary; ++v) weight[v * vocabulary + v] = 1;
  const index_t rows = index_t(tokens.size());
  cpu_backend backend(1);
  const projection_head<double> head{.weight = {weight.data(), vocabulary, vocabulary},
                                     .d_weight = {dweight.data(), vocabulary, vocabulary}};
  const matrix_view<double> view(x.data(), rows, vocabulary);
  const loss_sums sums =
      loss.gradient<double>(backend, view, head, tokens.data(), {dx.data(), rows, vocabulary});
  const double scale = mean ? 1 / double(rows) : 1;
  REQUIRE(sums.tokens == rows);
  CHECK(sums.loss * scale == doctest::Approx(file.values(name)[0]).epsilon(1e-12));
  for (double& d : dx) d *= scale;
  CHECK(torch_reference::error(dx.data(), expected) < 1e-12);
  const loss_sums value = loss.value<double>(backend, view, head, tokens.data());
  CHECK(value.loss == doctest::Approx(sums.loss).epsilon(1e-14));
  CHECK(value.nll * (1 / double(rows)) ==
        doctest::Approx(file.values("cross_entropy.mean")[0]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("losses: cross entropy and label smoothing equal PyTorch's and fairseq's") {
  compare("cross_entropy.mean", {.epsilon = 0}, true);
  compare("label_smoothed.torch.mean", {.epsilon = 0.1}, true);
  compare("label_smoothed.eps_over_V.sum", {.epsilon = 0.1, .convention = smoothing::over_vocabulary}, false);
  compare("label_smoothed.eps_over_Vminus1.sum", {.epsilon = 0.1, .convention = smoothing::over_others},
          false);
}
