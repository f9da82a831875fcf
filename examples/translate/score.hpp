#pragma once
#include <formwork/io/json_text.hpp>
#include <formwork/metric/bleu.hpp>
#include <formwork/metric/chrf.hpp>

#include "run.hpp"

namespace examples {

inline const char* score_examples =
    "Examples:\n"
    "  translate score --ref test.en --hyp english.txt\n"
    "  translate score --ref test.en --model runs/first --src test.de --beam 5\n"
    "  translate score --ref test.tok.de --hyp out.tok.de --tokenize none --lowercase --json\n"
    "Scores compare only where the signatures agree; they are those of sacrebleu.";

/// All lines of a text file, checked.
inline std::vector<std::string> read_text(const std::string& path) {
  std::vector<std::string> lines = formwork::read_lines(path);
  for (std::size_t i = 0; i < lines.size(); ++i) check_text(path, lines[i], index_t(i) + 1);
  return lines;
}

template <class Config>
std::vector<std::string> translate_file(const translation_options& o, const std::string& path) {
  const std::vector<std::string> lines = read_text(path);
  loaded_model<Config> loaded(o);
  formwork::translator translator(loaded.model, loaded.cpu, o.decode);
  translation_counts counts;
  std::vector<std::string> out;
  for (const auto& result : translate_lines(translator, loaded.codec, lines, path, 1, counts))
    out.push_back(loaded.codec.decode(result.front().tokens));
  counts.report();
  return out;
}

inline std::string json_of(double value) {
  std::string out;
  formwork::append_json_number(out, value);
  return out.find_first_of(".e") == out.npos ? out + ".0" : out;  // some readers would take it for an integer
}

inline std::string json_of(std::string_view value) {
  std::string out;
  formwork::append_json_string(out, value);
  return out;
}

inline void print_scores(const std::vector<std::string>& hypotheses,
                         const formwork::reference_sets& references, const formwork::bleu_options& bleu,
                         const formwork::chrf_options& chrf, bool as_json) {
  const index_t sets = index_t(references.size());
  const formwork::bleu_score b = formwork::corpus_bleu(hypotheses, references, bleu);
  const formwork::chrf_score c = formwork::corpus_chrf(hypotheses, references, chrf);
  const std::string bleu_signature = signature(bleu, sets), chrf_signature = signature(chrf, sets);
  if (as_json) {
    std::string precisions;
    for (const double p : b.precisions) precisions += (precisions.empty() ? "" : ", ") + json_of(p);
    write_standard_output(text(
        "{\n  \"bleu\": {\"score\": ", json_of(b.score), ", \"precisions\": [", precisions,
        "], \"brevity_penalty\": ", json_of(b.brevity_penalty), ", \"hypothesis_length\": ",
        b.statistics.hypothesis_length, ", \"reference_length\": ", b.statistics.reference_length,
        ", \"signature\": ", json_of(bleu_signature), "},\n  \"chrf\": {\"score\": ", json_of(c.score),
        ", \"signature\": ", json_of(chrf_signature), "},\n  \"segments\": ", hypotheses.size(), "\n}\n"));
  } else {
    write_standard_output(
        text(result_line(b, bleu_signature), "\n", result_line(c, chrf, chrf_signature), "\n"));
  }
}

struct score_options {
  translation_options translation;
  std::string hypotheses, source, tokenizer = "13a";
  std::vector<std::string> references;
  formwork::bleu_options bleu;
  formwork::chrf_options chrf;
  bool as_json = false;
};

inline void add_score_options(CLI::App& app, score_options& o) {
  add_common_options(app);
  add_texts(app, "--ref", o.references, "FILE", "reference translations; may be given several times");
  add_text(app, "--hyp", o.hypotheses, "FILE", "the translations; or --model and --src");
  add_text(app, "--src", o.source, "FILE", "text that the model translates first");
  add_choice(app, "--tokenize", o.tokenizer, {"13a", "none", "char", "intl"},
             "words of BLEU: 13a, none, char or intl");
  app.add_flag("--lowercase", o.bleu.lowercase, "compare without case");
  add_number(app, "--chrf-word-order", o.chrf.word_order, {0, 16},
             "longest n-gram of words in chrF; 0: chrF, 2: chrF++");
  app.add_flag("--json", o.as_json, "print one JSON object");
  add_translation_options(app, o.translation);
}

/// The command `score`: compares translations with references.
template <class Config>
int score(const std::vector<std::string>& arguments) {
  CLI::App app("Scores translations: corpus BLEU and chrF.", "translate score");
  score_options o;
  add_score_options(app, o);
  app.footer(score_examples);
  if (!parse(app, arguments)) return 0;
  require(app, {"--ref"});
  if (o.hypotheses.empty())
    require(app, {"--model", "--src"});
  else if (!o.translation.folder.empty() || !o.source.empty())
    fail(app.get_name(), ": --hyp excludes --model and --src");
  o.bleu.tokenizer = formwork::bleu_tokenizer_named(o.tokenizer);
  o.chrf.lowercase = o.bleu.lowercase;
  o.translation.complete();
  formwork::reference_sets sets;
  for (const std::string& path : o.references) sets.push_back(read_text(path));
  const std::vector<std::string> translations =
      o.hypotheses.empty() ? translate_file<Config>(o.translation, o.source) : read_text(o.hypotheses);
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (sets[i].size() != translations.size())
      fail(o.references[i], " has ", sets[i].size(), " lines, but there are ", translations.size(),
           " translations");
  print_scores(translations, sets, o.bleu, o.chrf, o.as_json);
  return 0;
}

}  // namespace examples
