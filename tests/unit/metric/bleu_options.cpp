#include <formwork/metric/bleu_options.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace formwork;

namespace {

const std::string version = "|" + metric_version();

}  // namespace

TEST_CASE("bleu options: the signature has sacrebleu's fields in its order") {
  CHECK(signature(bleu_options{}) == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" + version);
  CHECK(signature({.tokenizer = bleu_tokenizer::intl, .lowercase = true, .effective_order = true}, 3) ==
        "nrefs:3|case:lc|eff:yes|tok:intl|smooth:exp" + version);
}

TEST_CASE("bleu options: the signature shows the value of smoothings that have one") {
  CHECK(signature({.smoothing = bleu_smoothing::none}).ends_with("|smooth:none" + version));
  CHECK(signature({.smoothing = bleu_smoothing::floor}).ends_with("|smooth:floor[0.10]" + version));
  CHECK(signature({.smoothing = bleu_smoothing::add_k}).ends_with("|smooth:add-k[1.00]" + version));
  CHECK(signature({.smoothing = bleu_smoothing::add_k, .smooth_value = 0.5})
            .ends_with("|smooth:add-k[0.50]" + version));
}

TEST_CASE("bleu options: the version names this library") {
  CHECK(version.starts_with("|version:formwork-"));
}

TEST_CASE("bleu options: names of smoothings go both ways and an unknown one is an error") {
  for (const std::string_view name : {"exp", "none", "floor", "add-k"}) {
    CHECK(name_of(bleu_smoothing_named(name)) == name);
  }
  CHECK_THROWS_WITH_AS(bleu_smoothing_named("laplace"),
                       "BLEU smoothing 'laplace' is unknown, expected exp, none, floor or add-k", error);
}

TEST_CASE("bleu options: the longest n-gram and the smoothing are checked") {
  CHECK_NOTHROW(bleu_options{}.validate());
  CHECK_NOTHROW((bleu_options{.smoothing = bleu_smoothing::floor, .smooth_value = 0}.validate()));
  CHECK_THROWS_WITH_AS((bleu_options{.max_order = 1001}.validate()),
                       "BLEU: max_order is 1001, expected 1 to 1000", error);
  for (const double wrong : {-1.0, std::nan(""), HUGE_VAL})
    CHECK_THROWS_WITH_AS((bleu_options{.smoothing = bleu_smoothing::add_k, .smooth_value = wrong}.validate()),
                         doctest::Contains("expected a finite number, 0 or more"), error);
}
