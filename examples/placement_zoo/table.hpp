#pragma once
#include <formwork/train/experiment_table.hpp>

#include <string>
#include <vector>

namespace examples {

/// A placement's two runs as one line.
struct zoo_line {
  std::string placement;
  std::vector<std::string> cells;  ///< figures as text, "-" for what a run that diverged did not give
};

inline const std::vector<std::string> zoo_columns{"placement",   "first_gradient",   "last_gradient",
                                                  "hidden_norm", "nll_no_warmup",    "nll_warmup",
                                                  "parameters",  "tokens_per_second"};

/// Joins the rows without and with warm-up, in the order of the table.
/// Requires: rows of zoo_recipe with the warm-ups 1 and `warmup`, those of other runs are left out
inline std::vector<zoo_line> joined_runs(const std::vector<formwork::experiment_row>& rows,
                                         const std::string& lr, const std::string& seed,
                                         const std::string& warmup) {
  const auto cell = [](const formwork::experiment_row& row, std::size_t figure) {
    return row.figures.empty() ? std::string("-") : formwork::detail::four_digits(row.figures[figure]);
  };
  std::vector<zoo_line> lines;
  for (const formwork::experiment_row& without : rows) {
    if (without.key[4] != lr || without.key[5] != "1" || without.key[6] != seed) continue;
    for (const formwork::experiment_row& with : rows) {
      if (with.key[0] != without.key[0] || with.key[4] != lr || with.key[5] != warmup || with.key[6] != seed)
        continue;
      const formwork::experiment_row& whole = with.figures.empty() ? without : with;
      lines.push_back({with.key[0],
                       {cell(whole, 0), cell(whole, 1), cell(whole, 2), cell(without, 3), cell(with, 3),
                        whole.figures.empty() ? "-" : formwork::text(formwork::index_t(whole.figures[4])),
                        whole.figures.empty() ? "-" : formwork::text(formwork::index_t(whole.figures[5]))}});
    }
  }
  return lines;
}

inline std::string zoo_csv(const std::vector<zoo_line>& lines) {
  std::string out = formwork::detail::joined_csv(zoo_columns) + "\n";
  for (const zoo_line& line : lines) {
    out += line.placement;
    for (const std::string& cell : line.cells) out += "," + (cell == "-" ? "" : cell);
    out += "\n";
  }
  return out;
}

inline std::string zoo_markdown(const std::vector<zoo_line>& lines, const std::string& title) {
  std::string out = title + "\n\n|", rule = "|";
  for (const std::string& column : zoo_columns) {
    out += " " + column + " |";
    rule += rule.size() == 1 ? " --- |" : " ---: |";
  }
  out += "\n" + rule + "\n";
  for (const zoo_line& line : lines) {
    out += "| " + line.placement + " |";
    for (const std::string& cell : line.cells) out += " " + cell + " |";
    out += "\n";
  }
  return out;
}

}  // namespace examples
