#pragma once
#include <formwork/core/error.hpp>
#include <formwork/metric/bleu_tokenizer.hpp>
#include <formwork/metric/segments.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace formwork {

/// What to do with an order that has n-grams but no match.
enum class bleu_smoothing {
  exponential,  ///< "exp": the k-th such order counts 1 / 2^k matches; the usual choice
  none,         ///< "none": its precision is 0, and with it the score
  floor,        ///< "floor": it counts `smooth_value` matches (0.1)
  add_k         ///< "add-k": every order but the first gets `smooth_value` (1) more matches and n-grams
};

/// The name of a smoothing as signatures and command lines spell it.
constexpr std::string_view name_of(bleu_smoothing smoothing) {
  switch (smoothing) {
    case bleu_smoothing::none:
      return "none";
    case bleu_smoothing::floor:
      return "floor";
    case bleu_smoothing::add_k:
      return "add-k";
    default:
      return "exp";
  }
}

/// The smoothing of a name.
/// Requires: one of exp, none, floor, add-k (checked)
inline bleu_smoothing bleu_smoothing_named(std::string_view name) {
  using enum bleu_smoothing;
  for (const auto smoothing : {exponential, none, floor, add_k}) {
    if (name == name_of(smoothing)) return smoothing;
  }
  fail("BLEU smoothing '", name, "' is unknown, expected exp, none, floor or add-k");
}

/// How BLEU is computed. The defaults are sacrebleu's.
struct bleu_options {
  bleu_tokenizer tokenizer = bleu_tokenizer::v13a;
  bleu_smoothing smoothing = bleu_smoothing::exponential;
  std::optional<double> smooth_value{};  ///< of floor (else 0.1) and add-k (else 1)
  int max_order = 4;                     ///< longest n-gram, 1 to 1000
  bool lowercase = false;
  bool effective_order = false;  ///< leave out orders longer than the hypotheses; for single sentences

  /// `smooth_value`, or what the smoothing uses without one.
  double smoothing_amount() const {
    return smooth_value.value_or(smoothing == bleu_smoothing::add_k ? 1.0 : 0.1);
  }

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (max_order < 1 || max_order > 1000) fail("BLEU: max_order is ", max_order, ", expected 1 to 1000");
    if (smooth_value && !(*smooth_value >= 0 && std::isfinite(*smooth_value)))
      fail("BLEU: smooth_value is ", *smooth_value, ", expected a finite number, 0 or more");
  }
};

/// What a score depends on, in sacrebleu's form: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...".
/// Scores compare only where all fields before the version agree. As there, max_order isn't shown.
inline std::string signature(const bleu_options& options, index_t references = 1) {
  std::string smooth(name_of(options.smoothing));
  if (options.smoothing == bleu_smoothing::floor || options.smoothing == bleu_smoothing::add_k) {
    smooth += text("[", fixed_digits(options.smoothing_amount(), 2), "]");
  }
  return text("nrefs:", references, "|case:", options.lowercase ? "lc" : "mixed",
              "|eff:", options.effective_order ? "yes" : "no", "|tok:", name_of(options.tokenizer),
              "|smooth:", smooth, "|", metric_version());
}

}  // namespace formwork
