// Trains every norm placement of the library on one small task, with warm-up and without, and prints what
// came out as one table. FORMWORK_EXPERIMENT_PLACEMENTS, which formwork_add_experiment() of CMake defines,
// names others.
#include <formwork/core/folder.hpp>
#include <formwork/policy/norm_placement/all.hpp>

#include <CLI/CLI.hpp>

#include "placement_zoo/options.hpp"
#include "placement_zoo/table.hpp"
#include "plot_schedule/draw.hpp"

#ifdef FORMWORK_EXPERIMENT_HEADER
#include FORMWORK_EXPERIMENT_HEADER
#endif
#ifdef FORMWORK_EXPERIMENT_PLACEMENTS
using zoo_placements = formwork::placements<FORMWORK_EXPERIMENT_PLACEMENTS>;
#else
using zoo_placements = formwork::all_placements;
#endif

namespace {

void run(const examples::zoo_options& o) {
  using namespace formwork;
  const experiment<zoo_placements, optimizers<examples::zoo_adam>, schedules<examples::zoo_schedule>,
                   models<examples::zoo_model>>
      zoo{.name = text("reversal task, ", o.updates, " updates of 32 sentences"),
          .figures = examples::zoo_recipe::figures(),
          .grid = {.lr = {o.lr}, .warmup = {1, 300}, .seed = {o.seed}},
          .only = o.placements};
  examples::zoo_recipe recipe{.updates = o.updates};
  if (o.threads > 0) recipe.threads = o.threads;
  make_folders(o.folder);
  const auto rows = zoo.run(o.folder + "/runs.csv", recipe, progress{});
  const auto lines = examples::joined_runs(rows, text(o.lr), text(o.seed), "300");
  const std::string table =
      examples::zoo_markdown(lines, text(zoo.name, ", learning rate ", o.lr, ", warm-up 300 or none"));
  const std::string csv = o.folder + "/zoo.csv", svg = o.folder + "/zoo.svg";
  detail::write_file(o.folder + "/zoo.md", table);
  detail::write_file(csv, examples::zoo_csv(lines));
  std::fputs(table.c_str(), stdout);
  if (!examples::draw(FORMWORK_ZOO_SCRIPT, csv, svg))
    std::fprintf(stderr, "gnuplot is not installed: there are tables and no picture\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    examples::hold_standard_streams();
    examples::zoo_options o;
    if (examples::parse_zoo_options<zoo_placements>({argv + 1, argv + argc}, o)) run(o);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) formwork::fail("standard output cannot be written");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
