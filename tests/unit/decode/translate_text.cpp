#include <formwork/decode/translate_text.hpp>

#include <doctest/doctest.h>

#include <formwork/data/subword_codec.hpp>

#include "../../support/small_model.hpp"

TEST_CASE("translate: lines together or alone, the translations are the same") {
  const std::vector<std::string> entries{"a", "b", "c", "d", "e", "f", "g", "h"};
  formwork::subword_codec codec{formwork::vocabulary(entries)};
  auto model = formwork_test::small_model(3);
  formwork::cpu_backend cpu(1);
  const std::vector<std::string> lines{"a b c", "", "d", "h g f e d c b a", "unknown words only"};
  const formwork::decode_options options{.beam = 2, .max_length_extra = 4};
  const auto together = formwork::translate(model, cpu, codec, lines, options);
  REQUIRE(together.size() == lines.size());
  CHECK(together[1].empty());
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(formwork::translate(model, cpu, codec, lines[i], options) == together[i]);
}
