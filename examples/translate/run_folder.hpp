#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/data/embedded_corpus.hpp>
#include <formwork/data/read_corpus.hpp>
#include <formwork/io/atomic_file.hpp>
#include <formwork/io/folder_lock.hpp>
#include <formwork/io/rotation.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "command_line.hpp"
#include "messages.hpp"

namespace examples {

/// The folder of a training run: which files it has, and whether this command fits to the ones that are
/// there. It is kept for this command as long as the object lives. Folders that the object has made are
/// removed again unless `keep` was called.
class run_folder {
 public:
  /// `config`: the options of this command, as they will be written.
  run_folder(std::string path, std::string config) : path_(std::move(path)), config_(std::move(config)) {
    if (formwork::path_exists(path_) && !formwork::is_folder(path_)) fail(path_, ": is no folder");
    made_ = formwork::make_folders(path_);
    try {
      lock_.emplace(path_);  // before anything is read that another command may be writing
    } catch (...) {
      formwork::remove_empty_folders(made_);
      throw;
    }
    if (!holds_only({"lock"}, path_)) made_.clear();  // another command used it just before
    if (formwork::path_exists(config_path()))
      for (const std::string& line : formwork::read_lines(config_path())) old_.insert(entry_of(line));
  }
  run_folder(const run_folder&) = delete;
  ~run_folder() {
    if (made_.empty() || kept_) return;
    std::error_code failed, ignored;
    for (std::filesystem::directory_iterator i(path_, failed), end; !failed && i != end; i.increment(failed))
      if (i->path().filename() != "lock") std::filesystem::remove_all(i->path(), ignored);
    lock_.reset();
    formwork::remove_empty_folders(made_);  // not if another command has begun to use it
  }
  void keep() { kept_ = true; }

  const std::string& path() const { return path_; }
  std::string config_path() const { return path_ + "/config.txt"; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string model() const { return path_ + "/model.safetensors"; }
  bool has_state() const {
    return !formwork::rotation{.folder = checkpoints()}.files().empty() ||
           formwork::path_exists(checkpoints() + "/interrupted.safetensors");
  }
  bool has_model() const { return formwork::path_exists(model()); }

  /// What the codec's files hold, as a line of a fingerprint.
  std::string codec_fingerprint() const {
    std::string all;
    for (const char* name : codec_files) {
      if (!formwork::path_exists(path_ + name)) continue;
      const formwork::readable_file file(path_ + name);
      std::string bytes(std::size_t(file.size()), '\0');
      file.read(0, bytes.data(), file.size());
      all += text(name, " ", bytes.size(), "\n", bytes);
    }
    return text("vocabulary=", formwork::fingerprint_hash(all), "\n");
  }

  /// Error: the folder's vocabulary and text were made with other values of these options.
  void require_same(const std::vector<std::string>& names) const {
    if (old_.empty()) return;
    const auto now = entries();
    for (const std::string& name : names) {
      const std::string was = value_of(old_, name), is = value_of(now, name);
      if (was != is)
        fail(path_, ": holds a run with ", name, " = ", was, ", this command says ", is,
             "; choose another --out or say --restart");
    }
  }

  /// Writes config.txt if it is not there in this form, and says what differs from the one before.
  void write_config() const {
    const auto now = entries();
    if (now == old_) return;
    for (const auto& [name, value] : now)
      if (!old_.empty() && value_of(old_, name) != value)
        say("changed: ", name, " = ", value, ", was ", value_of(old_, name));
    formwork::write_atomically(config_path(), [&](formwork::file_writer& to) {
      const std::string all = "# written by translate train; read it with --config\n" + config_;
      to.write(all.data(), all.size());
    });
  }

  /// Throws an earlier run away; other files stay.
  void clear() {
    old_.clear();
    for (const auto& file : formwork::rotation{.folder = checkpoints()}.files()) remove(file.path);
    for (const char* name :
         {"/checkpoints/interrupted.safetensors", "/config.txt", "/metrics.jsonl", "/model.safetensors"})
      remove(path_ + name);
    for (const char* name : codec_files) remove(path_ + name);
  }

  /// Puts a codec's files into the folder, each whole or not at all; vocabulary.txt, by which they are found
  /// again, comes last.
  template <class Codec>
  void save(const Codec& codec) const {
    const partial_folder partial(path_ + "/codec.partial");
    codec.save(partial.path());
    for (const char* name : codec_files) {
      if (formwork::path_exists(partial.path() + name))
        rename(partial.path() + name, path_ + name);
      else
        remove(path_ + name);  // of a run that ended before it had a state
    }
  }

  /// Makes the embedded corpus unless it is there; returns its folder.
  /// Error: something else is there, which would be gone
  std::string write_embedded_corpus(index_t pairs) const {
    const std::string data = path_ + "/data", first = data + "/train.de";
    const bool is_there = formwork::path_exists(first);
    if (is_there && formwork::detail::count_lines(first) == pairs) return data;
    const formwork::embedded_corpus corpus({.train = pairs});
    if (formwork::path_exists(data)) {
      bool own = holds_only({"train.de", "train.en", "valid.de", "valid.en", "test.de", "test.en"}, data);
      if (own && is_there) {  // its sentences come in one order, however many there are
        const std::vector<std::string> lines = formwork::read_lines(first);
        own = !lines.empty() && lines[0] == corpus.train[0].source;
      }
      if (!own)
        fail(data, ": holds something else than the embedded corpus; move it, or choose another --out");
    }
    const partial_folder partial(path_ + "/data.partial");
    corpus.write(partial.path());
    remove(data);
    rename(partial.path(), data);
    return data;
  }

 private:
  using entry_map = std::map<std::string, std::string>;

  static constexpr const char* codec_files[] = {"/codes.bpe", "/sentencepiece.model", "/vocabulary.txt"};

  /// Whether a folder has no other entries than these; no, if it cannot be read.
  static bool holds_only(const std::set<std::string>& names, const std::string& folder) {
    std::error_code failed;
    for (std::filesystem::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed))
      if (!names.contains(i->path().filename().string())) return false;
    return !failed;
  }

  /// Removes a file or a folder with all that is in it, if it is there.
  static void remove(const std::string& path) {
    std::error_code failed;
    std::filesystem::remove_all(path, failed);
    if (failed) fail(path, ": cannot be deleted: ", failed.message());
  }
  static void rename(const std::string& from, const std::string& to) {
    std::error_code failed;
    std::filesystem::rename(from, to, failed);
    if (failed) fail(to, ": cannot be replaced: ", failed.message());
  }

  /// A folder in which something is made before it is put in its place. Nothing of it stays.
  class partial_folder {
   public:
    explicit partial_folder(std::string path) : path_(std::move(path)) {
      remove(path_);
      formwork::make_folders(path_);
    }
    partial_folder(const partial_folder&) = delete;
    ~partial_folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

   private:
    std::string path_;
  };

  static std::pair<std::string, std::string> entry_of(std::string_view line) {
    const std::size_t sign = line.find(" = ");
    if (line.starts_with('#') || sign == line.npos) return {"", ""};
    return {std::string(line.substr(0, sign)), std::string(line.substr(sign + 3))};
  }
  entry_map entries() const {
    entry_map now{{"", ""}};
    for (std::size_t begin = 0; begin < config_.size();) {
      const std::size_t end = config_.find('\n', begin);
      now.insert(entry_of(std::string_view(config_).substr(begin, end - begin)));
      begin = end + 1;
    }
    return now;
  }
  static std::string value_of(const entry_map& entries, const std::string& name) {
    const auto found = entries.find(name);
    return found == entries.end() ? "not set" : found->second;
  }

  std::string path_, config_;
  std::optional<formwork::folder_lock> lock_;
  entry_map old_;
  std::vector<std::string> made_;  // folders
  bool kept_ = false;
};

}  // namespace examples
