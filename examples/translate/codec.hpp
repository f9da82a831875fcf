#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/data/subword_codec.hpp>

#include <span>
#include <string>
#include <variant>
#include <vector>

#if defined(FORMWORK_TRAINER_SENTENCEPIECE)
#include "../sentencepiece.hpp"
#endif

namespace examples {

#if defined(FORMWORK_TRAINER_SENTENCEPIECE)
inline constexpr bool with_sentencepiece = true;
#else
inline constexpr bool with_sentencepiece = false;
#endif

/// The codec of a run's folder: words or byte pairs of the library, or pieces of SentencePiece where the
/// program was built with it.
class text_codec {
 public:
  text_codec(formwork::subword_codec codec) : codec_(std::move(codec)) {}

  /// The tokens that stand between white space in the files.
  static text_codec of_words(std::span<const std::string> files, formwork::index_t size_limit) {
    return formwork::subword_codec(formwork::build_vocabulary(files, {.size_limit = size_limit}));
  }
  static text_codec of_byte_pairs(std::span<const std::string> files, formwork::index_t size) {
    return formwork::subword_codec::learn_from_files(files, size);
  }
  static text_codec of_sentencepiece([[maybe_unused]] std::span<const std::string> files,
                                     [[maybe_unused]] formwork::index_t size) {
#if defined(FORMWORK_TRAINER_SENTENCEPIECE)
    return sentencepiece_model::learn({files.begin(), files.end()}, {.size = size, .reduce = true});
#else
    formwork::fail("--sentencepiece: this program was built without the SentencePiece library");
#endif
  }

  /// Reads what `save` wrote.
  static text_codec load(const std::string& folder) {
    [[maybe_unused]] const std::string pieces = folder + "/sentencepiece.model";
#if defined(FORMWORK_TRAINER_SENTENCEPIECE)
    if (formwork::path_exists(pieces)) return sentencepiece_model::read(pieces);
#else
    if (formwork::path_exists(pieces))
      formwork::fail(pieces, ": this program was built without the SentencePiece library");
#endif
    return formwork::subword_codec::load(folder);
  }
  void save(const std::string& folder) const {
    std::visit([&](const auto& codec) { write(codec, folder); }, codec_);
  }

  formwork::index_t size() const {
    return std::visit([](const auto& codec) { return codec.size(); }, codec_);
  }
  void operator()(std::string_view line, std::vector<formwork::token_t>& ids) {
    std::visit([&](auto& codec) { codec(line, ids); }, codec_);
  }
  std::string decode(std::span<const formwork::token_t> ids) const {
    return std::visit([&](const auto& codec) { return codec.decode(ids); }, codec_);
  }

 private:
  static void write(const formwork::subword_codec& codec, const std::string& folder) { codec.save(folder); }
#if defined(FORMWORK_TRAINER_SENTENCEPIECE)
  text_codec(sentencepiece_model codec) : codec_(std::move(codec)) {}
  static void write(const sentencepiece_model& codec, const std::string& folder) {
    codec.write(folder + "/sentencepiece.model");
  }
  std::variant<formwork::subword_codec, sentencepiece_model> codec_;
#else
  std::variant<formwork::subword_codec> codec_;
#endif
};

}  // namespace examples
