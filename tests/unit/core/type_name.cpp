#include <formwork/core/type_name.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace outer {

struct plain {};
struct named {
  static constexpr label name = "another name";
};
template <class T>
struct wrapped {};

}  // namespace outer

namespace {

struct hidden {};

}  // namespace

static_assert(type_name<outer::plain>() == "plain");
static_assert(type_name<outer::named>() == "another name");
static_assert(type_name<hidden>() == "hidden");
static_assert(type_name<int>() == "int");

TEST_CASE("type_name: the arguments of a template keep their namespaces, the template does not") {
  CHECK(type_name<outer::wrapped<outer::plain>>() == "wrapped<outer::plain>");
}

TEST_CASE("type_name: a type of a function has its own name") {
  struct inner {};
  CHECK(type_name<inner>() == "inner");
}
