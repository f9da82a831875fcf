#include <formwork/train/optimizer_checkpoint.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/bf16_moments.hpp>

#include "../../support/reversal_task.hpp"
#include "../../support/scratch_folder.hpp"

using namespace formwork;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<>>;

/// Keeps a number for each row of a matrix; adamw has one of the run.
struct counting_adamw : adamw {
  static constexpr label name = "counting";
  struct run_state {
    double updates = 0, rates = 0;
  };
  prepared prepare(const update_info& u, const run_state&) const { return adamw::prepare(u); }
  void advance(run_state& run, const update_info& u) const {
    run.updates += 1;
    run.rates += u.lr;
  }
};
struct by_rows {
  static constexpr label name = "by_rows";
  counting_adamw rest{};
  static bool takes(const parameter_info& p) { return p.role <= role::down; }
  index_t kept(index_t rows, index_t) const { return rows; }
  index_t scratch(index_t, index_t) const { return 0; }
  template <class Backend, class T>
  void step(Backend&, const matrix_update<T>& u) const {
    for (index_t r = 0; r < u.w.rows; ++r) u.kept[r] += u.g.row(r)[0];
  }
};

std::vector<trained_parameter<float>> parameters_of(model_type& model) {
  std::vector<trained_parameter<float>> out;
  auto& store = model.parameters();
  for (const parameter_entry& e : store.entries())
    out.push_back({out.size(), e.info, store.values() + e.offset, store.gradients() + e.offset});
  return out;
}

template <class O>
std::vector<double> all_numbers(optimizer_state<float, O>& state) {
  std::vector<double> out;
  state.each_kept([&](const std::string&, const auto&, const auto* data, index_t n) {
    for (index_t i = 0; i < n; ++i)
      if constexpr (requires { data->bits; })
        out.push_back(double(data[i].bits));
      else
        out.push_back(double(data[i]));
  });
  state.each_number([&](const std::string&, double& number) { out.push_back(number); });
  return out;
}

}  // namespace

TEST_CASE("optimizer checkpoint: everything that is kept comes back bit for bit") {
  const formwork_test::scratch_folder folder;
  cpu_backend backend(1);
  model_type model(formwork_test::reversal_vocabulary, normal{});
  optimizer_state<float, by_rows> written({}, parameters_of(model)), read({}, parameters_of(model));
  for (step_t step = 1; step <= 3; ++step) {
    std::copy_n(model.parameters().values(), model.parameters().size(), model.parameters().gradients());
    written.update(backend, step, 0.1 / double(step));
  }
  checkpoint_writer file("");
  add_optimizer(file, model.parameters(), written);
  file.write(folder / "a.safetensors");
  const checkpoint_reader reader(folder / "a.safetensors");
  require_optimizer(reader, model.parameters(), read);
  CHECK(all_numbers(read) != all_numbers(written));
  read_optimizer(reader, model.parameters(), read);
  CHECK(all_numbers(read) == all_numbers(written));
  CHECK(reader.tensors().contains("kept.encoder.0.ffn.up.weight"));
  CHECK(reader.tensors().contains("moment1.embedding.weight"));
  CHECK(reader.scalar<double>("optimizer.1.0") == 3);
}

TEST_CASE("optimizer checkpoint: moments in 16 bits are saved as such and come back bit for bit") {
  const formwork_test::scratch_folder folder;
  cpu_backend backend(1);
  model_type model(formwork_test::reversal_vocabulary, normal{});
  using policy = bf16_moments<adamw>;
  optimizer_state<float, policy> written({}, parameters_of(model)), read({}, parameters_of(model));
  for (step_t step = 1; step <= 3; ++step) {
    std::copy_n(model.parameters().values(), model.parameters().size(), model.parameters().gradients());
    written.update(backend, step, 0.1);
  }
  checkpoint_writer file("");
  add_optimizer(file, model.parameters(), written);
  file.write(folder / "a.safetensors");
  const checkpoint_reader reader(folder / "a.safetensors");
  require_optimizer(reader, model.parameters(), read);
  read_optimizer(reader, model.parameters(), read);
  CHECK(all_numbers(read) == all_numbers(written));
  CHECK(reader.tensors().entry("moment1.embedding.weight").type == dtype::BF16);
}

TEST_CASE("optimizer checkpoint: what another optimizer kept is refused before anything is read") {
  const formwork_test::scratch_folder folder;
  model_type model(formwork_test::reversal_vocabulary, normal{});
  optimizer_state<float, adamw> plain({}, parameters_of(model));
  checkpoint_writer file("");
  add_optimizer(file, model.parameters(), plain);
  file.write(folder / "a.safetensors");
  optimizer_state<float, counting_adamw> counting({}, parameters_of(model));
  const checkpoint_reader reader(folder / "a.safetensors");
  CHECK_THROWS_AS(require_optimizer(reader, model.parameters(), counting), error);
  optimizer_state<float, by_rows> rows({}, parameters_of(model));
  CHECK_THROWS_AS(require_optimizer(reader, model.parameters(), rows), error);
}
