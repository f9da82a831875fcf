// Writes the learning rates of every shipped schedule as a table, and draws them. One's own is a line in
// plot_schedule/curves.hpp.
#include <formwork/core/folder.hpp>
#include <formwork/io/atomic_file.hpp>

#include <CLI/CLI.hpp>

#include "plot_schedule/curves.hpp"
#include "plot_schedule/draw.hpp"
#include "plot_schedule/options.hpp"

namespace {

using examples::curve;

void write_table(const std::vector<curve>& curves, formwork::step_t steps, formwork::file_writer& to) {
  std::string lines = "step";
  for (const curve& c : curves) lines += "," + c.name;
  for (formwork::step_t step = 1; step <= steps; ++step) {
    lines += formwork::text("\n", step);
    for (const curve& c : curves) lines += formwork::text(",", c.rate(step));
    to.write(lines.data(), lines.size());
    lines.clear();
  }
  to.write("\n", 1);
}

void run(const examples::plot_options& o) {
  const std::vector<curve> curves = examples::chosen_curves(o);
  const std::string csv = o.folder + "/schedules.csv", svg = o.folder + "/schedules.svg";
  formwork::make_folders(o.folder);
  formwork::write_atomically(csv, [&](formwork::file_writer& to) { write_table(curves, o.steps, to); });
  std::printf("%s: %lld updates of %zu schedules\n", csv.c_str(), (long long)o.steps, curves.size());
  if (examples::draw(FORMWORK_PLOT_SCRIPT, csv, svg))
    std::printf("%s\n", svg.c_str());
  else
    std::fprintf(stderr, "gnuplot is not installed: there is a table and no picture\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    examples::hold_standard_streams();
    examples::plot_options o;
    if (examples::parse_plot_options({argv + 1, argv + argc}, o)) run(o);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) formwork::fail("standard output cannot be written");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
