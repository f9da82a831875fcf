#pragma once
#include <formwork/io/atomic_file.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// One run of an experiment, a line of its table.
struct experiment_row {
  std::vector<std::string> key;  ///< what was run, in the order of the key columns
  std::vector<double> figures;   ///< what came out; empty: the run failed
  std::string note;              ///< why it failed, otherwise empty
};

namespace detail {

// A line of comma-separated values; a field with a comma or a quotation mark stands in quotation marks.
inline std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool twice = c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"';
    if (twice || (c != '"' && (c != ',' || quoted))) {
      fields.back() += c;
      i += twice;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      quoted = !quoted;
    }
  }
  return fields;
}

inline std::string joined_csv(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (f > 0) line += ',';
    const bool quote = fields[f].find_first_of(",\"") != std::string::npos;
    if (quote) line += '"';
    for (const char c : fields[f]) line.append(c == '"' ? 2 : 1, c);
    if (quote) line += '"';
  }
  return line;
}

inline std::string whole_file(const std::string& path) {
  const readable_file file(path);
  std::string bytes(std::size_t(file.size()), '\0');
  file.read(0, bytes.data(), file.size());
  return bytes;
}

inline void write_file(const std::string& path, const std::string& bytes) {
  write_atomically(path, [&](file_writer& to) { to.write(bytes.data(), bytes.size()); });
}

inline std::string four_digits(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general, 4).ptr};
}

}  // namespace detail

/// The results of an experiment as a file of comma-separated values: the experiment's name, the key columns,
/// the figures, a note. The file is replaced whole after each run, so a killed program loses the run at hand
/// and no other. As long as it lives, no other program adds to the same table.
class experiment_table {
 public:
  /// Reads the table if there is one.
  /// Error: it is the table of another experiment (file and line), or another program is adding to it
  experiment_table(std::string path, std::string experiment, std::vector<std::string> keys,
                   std::vector<std::string> figures)
      : path_(std::move(path)),
        experiment_(std::move(experiment)),
        keys_(keys.size()),
        figures_(figures.size()),
        lock_(open_locked(path_ + ".lock")) {
    if (lock_.number() < 0) fail(path_, ": another program is adding to this table; wait for its end");
    header_ = {"experiment"};
    header_.insert(header_.end(), keys.begin(), keys.end());
    header_.insert(header_.end(), figures.begin(), figures.end());
    header_.push_back("note");
    try {
      if (::access(path_.c_str(), F_OK) == 0) read();
    } catch (...) {
      ::unlink((path_ + ".lock").c_str());
      throw;
    }
  }
  experiment_table(const experiment_table&) = delete;
  ~experiment_table() { ::unlink((path_ + ".lock").c_str()); }

  const std::vector<experiment_row>& rows() const { return rows_; }
  bool has(const std::vector<std::string>& key) const {
    for (const experiment_row& row : rows_)
      if (row.key == key) return true;
    return false;
  }

  /// Adds a row and writes the table.
  /// Requires: the row has as many keys as the table, and all figures or none (checked)
  void append(experiment_row row) {
    if (row.key.size() != keys_) fail(path_, ": a row of ", row.key.size(), " keys, expected ", keys_);
    if (!row.figures.empty() && row.figures.size() != figures_)
      fail(path_, ": a run gave ", row.figures.size(), " figures, the table has columns for ", figures_);
    rows_.push_back(std::move(row));
    std::string bytes = detail::joined_csv(header_) + "\n";
    for (const experiment_row& r : rows_) bytes += detail::joined_csv(fields_of(r)) + "\n";
    detail::write_file(path_, bytes);
  }

  /// The table for people: figures with four digits, the notes of failed runs in a column of their own if
  /// there are any.
  std::string markdown() const {
    bool notes = false;
    for (const experiment_row& row : rows_) notes |= !row.note.empty();
    const std::size_t last = header_.size() - (notes ? 0 : 1);
    std::string out = text(experiment_, "\n\n|"), rule = "|";
    for (std::size_t c = 1; c < last; ++c) {
      out += text(" ", header_[c], " |");
      rule += c > keys_ && c <= keys_ + figures_ ? " ---: |" : " --- |";
    }
    out += text("\n", rule, "\n");
    for (const experiment_row& row : rows_) {
      out += "|";
      for (const std::string& key : row.key) out += text(" ", key, " |");
      for (std::size_t f = 0; f < figures_; ++f)
        out += text(" ", row.figures.empty() ? "-" : detail::four_digits(row.figures[f]), " |");
      out += notes ? text(" ", row.note, " |\n") : "\n";
    }
    return out;
  }

 private:
  std::vector<std::string> fields_of(const experiment_row& row) const {
    std::vector<std::string> fields{experiment_};
    fields.insert(fields.end(), row.key.begin(), row.key.end());
    for (std::size_t f = 0; f < figures_; ++f)
      fields.push_back(row.figures.empty() ? "" : text(row.figures[f]));
    fields.push_back(row.note);
    return fields;
  }

  void read() {
    const std::string bytes = detail::whole_file(path_);
    index_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < bytes.size(); begin = end + 1) {
      end = (std::min)(bytes.find('\n', begin), bytes.size());
      const auto fields = detail::split_csv(std::string_view(bytes).substr(begin, end - begin));
      if (++number == 1) {
        if (fields != header_)
          fail_at(path_, 1, "the columns are those of another experiment, expected ",
                  detail::joined_csv(header_));
      } else {
        rows_.push_back(row_of(fields, number));
      }
    }
  }

  experiment_row row_of(const std::vector<std::string>& fields, index_t line) const {
    if (fields.size() != header_.size())
      fail_at(path_, line, fields.size(), " fields, expected ", header_.size());
    if (fields[0] != experiment_)
      fail_at(path_, line, "a run of the experiment '", fields[0], "', expected '", experiment_, "'");
    const auto key = fields.begin() + 1, figure = key + std::ptrdiff_t(keys_);
    experiment_row row{{key, figure}, {}, fields.back()};
    for (std::size_t f = 0; f < figures_ && row.note.empty(); ++f) {
      const std::string& digits = figure[std::ptrdiff_t(f)];
      double x = 0;
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), x);
      if (digits.empty() || end.ec != std::errc{} || end.ptr != digits.data() + digits.size())
        fail_at(path_, line, header_[1 + keys_ + f], " is '", digits, "', expected a number");
      row.figures.push_back(x);
    }
    return row;
  }

  std::string path_, experiment_;
  std::size_t keys_, figures_;
  std::vector<std::string> header_;
  std::vector<experiment_row> rows_;
  file_descriptor lock_;
};

}  // namespace formwork
