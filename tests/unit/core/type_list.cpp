#include <formwork/core/type_list.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace formwork;

TEST_CASE("type_list: each visits its types in order") {
  std::string sizes;
  type_list<char, double, short>::each(
      [&](auto type) { sizes += std::to_string(sizeof(typename decltype(type)::type)); });
  CHECK(sizes == "182");
  static_assert(type_list<char, char>::size == 2 && type_list<>::size == 0);
}
