#pragma once
#include <formwork/core/utf8.hpp>
#include <formwork/data/lines.hpp>
#include <formwork/data/special_tokens.hpp>
#include <formwork/io/atomic_file.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

namespace examples {

using formwork::fail;
using formwork::index_t;
using formwork::token_t;

/// How to learn a set of pieces.
struct sentencepiece_options {
  index_t size = 8000;        ///< pieces wanted, `<unk>`, `<s>` and `</s>` included
  std::string model = "bpe";  ///< "bpe" or "unigram"
  std::string normalization =
      "identity";       ///< "identity" keeps the text as it is; "nmt_nfkc" is SentencePiece's own default
  bool reduce = false;  ///< take fewer pieces where the text has not enough, instead of an error
};

/// A set of subword pieces made by SentencePiece, with the library's ids for `<unk>`, `<s>` and `</s>` and no
/// padding. Usable as a line encoder of `read_parallel_corpus`.
class sentencepiece_model {
 public:
  /// Reads a model file.
  /// Requires: ids 0, 1, 2 are `<unk>`, `<s>`, `</s>` (checked)
  static sentencepiece_model read(const std::string& path) {
    const formwork::readable_file file(path);
    std::string bytes(std::size_t(file.size()), '\0');
    file.read(0, bytes.data(), file.size());
    return sentencepiece_model(path, std::move(bytes));
  }

  /// Learns pieces from text files, plain or gzip. Lines with a NUL byte teach nothing, since SentencePiece
  /// cannot read them; the same goes for blank lines.
  /// Requires: UTF-8, some text, and enough of it for the wanted number of pieces
  ///           unless `reduce` is set (checked)
  static sentencepiece_model learn(std::vector<std::string> files, const sentencepiece_options& options = {});

  /// Writes a model file, whole or not at all.
  void write(const std::string& path) const {
    formwork::write_atomically(path,
                               [this](formwork::file_writer& to) { to.write(bytes_.data(), bytes_.size()); });
  }

  index_t size() const { return processor_->GetPieceSize(); }
  const std::string& piece(token_t id) const {
    if (id < 0 || id >= size()) fail("sentencepiece: token ", id, " of ", size(), " pieces");
    return processor_->IdToPiece(id);
  }

  /// Appends the ids of a line, without `<s>` and `</s>`.
  void operator()(std::string_view line, std::vector<token_t>& ids) const {
    std::vector<int> pieces;
    const auto status = processor_->Encode(line, &pieces);
    if (!status.ok()) fail("sentencepiece: ", status.ToString());
    ids.insert(ids.end(), pieces.begin(), pieces.end());
  }
  std::vector<token_t> encode(std::string_view line) const {
    std::vector<token_t> ids;
    (*this)(line, ids);
    return ids;
  }

  /// The text of the pieces; stops before the first `</s>`.
  std::string decode(std::span<const token_t> ids) const {
    std::vector<int> pieces;
    for (const token_t id : ids) {
      if (id == formwork::end_token) break;
      piece(id);  // throws where there is no such piece
      if (id != formwork::begin_token) pieces.push_back(id);
    }
    std::string line;
    const auto status = processor_->Decode(pieces, &line);
    if (!status.ok()) fail("sentencepiece: ", status.ToString());
    return line;
  }

 private:
  sentencepiece_model(std::string_view name, std::string bytes)
      : bytes_(std::move(bytes)), processor_(std::make_shared<sentencepiece::SentencePieceProcessor>()) {
    if (bytes_.empty() || !processor_->LoadFromSerializedProto(bytes_).ok())
      fail(name, ": is no SentencePiece model");
    const int unknown = processor_->unk_id(), begin = processor_->bos_id(), end = processor_->eos_id();
    if (unknown != formwork::unknown_token || begin != formwork::begin_token || end != formwork::end_token) {
      fail(name, ": has the ids <unk> ", unknown, ", <s> ", begin, ", </s> ", end,
           "; expected 0, 1, 2: learn it with --unk_id=0 --bos_id=1 --eos_id=2");
    }
  }

  std::string bytes_;
  std::shared_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

namespace detail {

inline bool teaches(std::string_view line) {
  return line.find('\0') == line.npos && line.find_first_not_of(" \t\r") != line.npos;
}

/// Feeds the lines of several files to SentencePiece one after the other.
class line_feed final : public sentencepiece::SentenceIterator {
 public:
  explicit line_feed(std::vector<std::string> files) : files_(std::move(files)) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  void Next() override {
    for (;;) {
      std::string_view line;
      if (reader_ && reader_->next(line)) {
        if (!teaches(line)) continue;
        line_ = line;
        return;
      }
      if (file_ == files_.size()) break;
      reader_ = std::make_unique<formwork::line_reader>(files_[file_++]);
    }
    done_ = true;
  }

 private:
  std::vector<std::string> files_;
  std::unique_ptr<formwork::line_reader> reader_;
  std::size_t file_ = 0;
  std::string line_;
  bool done_ = false;
};

}  // namespace detail

inline sentencepiece_model sentencepiece_model::learn(std::vector<std::string> files,
                                                      const sentencepiece_options& options) {
  if (options.model != "bpe" && options.model != "unigram") {
    fail("sentencepiece: there is no model '", options.model, "'; expected bpe or unigram");
  }
  index_t longest = 0,
          bytes =
              0;  // also finds every fault of the files before SentencePiece, which would abort, sees them
  for (const std::string& path : files) {
    formwork::for_each_line(path, [&](std::string_view line, index_t number) {
      if (const index_t bad = formwork::first_invalid_utf8(line); bad >= 0) {
        formwork::fail_at(path, number, "byte ", bad + 1, " of the line is not valid UTF-8");
      }
      if (!detail::teaches(line)) return;
      longest = (std::max)(longest, index_t(line.size()));
      bytes += index_t(line.size());
    });
  }
  if (bytes == 0)
    fail("sentencepiece: the text is empty or has only blank lines; there is nothing to learn from");
  const std::unordered_map<std::string, std::string> arguments{
      {"model_type", options.model},
      {"vocab_size", std::to_string(options.size)},
      {"hard_vocab_limit",
       "false"},  // a limit that cannot be met is reported below, with the number that can
      {"normalization_rule_name", options.normalization},
      {"remove_extra_whitespaces", options.normalization == "identity" ? "false" : "true"},
      {"character_coverage", "1.0"},
      {"max_sentence_length", std::to_string(longest)},
      {"train_extremely_large_corpus", bytes > index_t{1} << 30 ? "true" : "false"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "-1"},
      {"minloglevel", "2"}};
  detail::line_feed feed(std::move(files));
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &feed, &model);
  if (!status.ok()) fail("sentencepiece: ", status.ToString());
  sentencepiece_model learned("sentencepiece", std::move(model));
  if (learned.size() < options.size && !options.reduce) {
    fail("sentencepiece: the text has enough for at most ", learned.size(), " pieces, but ", options.size,
         " are wanted; ask for fewer, or set reduce to take what there is");
  }
  return learned;
}

}  // namespace examples
