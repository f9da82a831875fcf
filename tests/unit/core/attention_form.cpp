#include <formwork/core/attention_form.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("attention_form: shared heads of keys are plain, anything that touches a logit is not") {
  CHECK(attention_form{}.plain());
  CHECK(attention_form{.key_heads = 2}.plain());
  CHECK_FALSE(attention_form{.distance_bias = true}.plain());
  CHECK_FALSE(attention_form{.window = 1}.plain());
  CHECK_FALSE(attention_form{.cap = 50}.plain());
  CHECK(attention_form{.window = 1} != attention_form{.window = 2});
}
