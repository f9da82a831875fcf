#include <formwork/decode/options.hpp>

#include <doctest/doctest.h>

#include "../../support/wrong_numbers.hpp"

using namespace formwork;

TEST_CASE("decode options: the usual numbers are valid, nonsense is told in a sentence") {
  CHECK_NOTHROW(decode_options{}.validate());
  CHECK_NOTHROW((decode_options{.beam = 1, .alpha = 0, .max_length_factor = 0, .sample = true}.validate()));
  CHECK_THROWS_WITH_AS((decode_options{.beam = 0}.validate()), "decoding: beam is 0, expected 1 to 1000000",
                       error);
  CHECK_THROWS_WITH_AS((decode_options{.beam = 2, .nbest = 3}.validate()),
                       "decoding: nbest is 3, expected 1 to the beam of 2", error);
  CHECK_THROWS_AS((decode_options{.nbest = 0}.validate()), error);
  CHECK_THROWS_AS((decode_options{.alpha = -1}.validate()), error);
  CHECK_THROWS_AS((decode_options{.alpha = std::nan("")}.validate()), error);
  CHECK_THROWS_WITH_AS((decode_options{.max_length_factor = 1001}.validate()),
                       "decoding: max_length_factor is 1001, expected 0 to 1000", error);
  CHECK_THROWS_AS((decode_options{.max_length_factor = std::nan("")}.validate()), error);
  CHECK_THROWS_WITH_AS((decode_options{.max_length_extra = -1}.validate()),
                       "decoding: max_length_extra is -1, expected 0 to 1000000", error);
  CHECK_THROWS_AS((decode_options{.min_length = -1}.validate()), error);
  CHECK_THROWS_AS((decode_options{.max_source_length = -1}.validate()), error);
  CHECK_THROWS_AS((decode_options{.batch_tokens = 0}.validate()), error);
  CHECK_THROWS_AS((decode_options{.beam = 1, .sample = true, .temperature = 0}.validate()), error);
  CHECK_THROWS_AS((decode_options{.beam = 1, .sample = true, .temperature = HUGE_VAL}.validate()), error);
  CHECK_THROWS_AS((decode_options{.beam = 1, .sample = true, .top_k = -1}.validate()), error);
  CHECK_THROWS_WITH_AS((decode_options{.beam = 5, .sample = true}.validate()),
                       "decoding: sampling draws one translation a sentence; set beam to 1", error);
}

TEST_CASE("decode options: the largest numbers neither overflow nor make a score that is no number") {
  const decode_options most{
      .beam = 1000000, .alpha = 20, .max_length_factor = 1000, .max_length_extra = 1000000};
  CHECK_NOTHROW(most.validate());
  CHECK(most.max_length(index_t{1} << 31) == 1000 * (index_t{1} << 31) + 1000000);
  CHECK(most.normalised(-HUGE_VAL, most.max_length(index_t{1} << 31)) == -HUGE_VAL);
  CHECK_THROWS_AS((decode_options{.beam = 1000001}.validate()), error);
  CHECK_THROWS_AS((decode_options{.alpha = 20.5}.validate()), error);
  CHECK_THROWS_AS((decode_options{.max_length_extra = 1000001}.validate()), error);
}

TEST_CASE("decode options: maximum length and both length penalties") {
  const decode_options o{.max_length_factor = 1.5, .max_length_extra = 3};
  CHECK(o.max_length(0) == 3);
  CHECK(o.max_length(3) == 8);
  CHECK(decode_options{.alpha = 0}.normalised(-6, 3) == -6);
  CHECK(decode_options{.alpha = 1}.normalised(-6, 3) == -2);
  CHECK(decode_options{.alpha = 2}.normalised(-18, 3) == doctest::Approx(-2));
  const decode_options gnmt{.penalty = length_penalty::gnmt, .alpha = 0.6};
  CHECK(gnmt.normalised(-6, 1) == -6);
  CHECK(gnmt.normalised(-6, 7) == doctest::Approx(-6 / std::pow(2.0, 0.6)));
}

TEST_CASE("decode options: no number may be infinite, no number, or out of its range") {
  using formwork_test::check_number;
  using options = decode_options;
  check_number(options{}, &options::beam, {1, 5}, {0, -1, 1'000'001});
  check_number(options{}, &options::nbest, {1, 5}, {0, -1, 6});
  check_number(options{}, &options::alpha, {0, 20}, {-1, 20.1});
  check_number(options{}, &options::max_length_factor, {0, 1000}, {-1, 1001});
  check_number(options{}, &options::max_length_extra, {0, 1'000'000}, {-1, 1'000'001});
  check_number(options{}, &options::min_length, {0, 5}, {-1});
  check_number(options{}, &options::max_source_length, {0, 5}, {-1});
  check_number(options{}, &options::batch_tokens, {1, 5}, {0, -1});
  check_number(options{}, &options::temperature, {1e-9, 1000}, {0, -1});
  check_number(options{}, &options::top_k, {0, 5}, {-1});
}
