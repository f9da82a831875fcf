#include <formwork/core/function_ref.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace formwork;

static_assert(std::is_trivially_copyable_v<function_ref<void()>> &&
              sizeof(function_ref<void()>) == 2 * sizeof(void*));
static_assert(!std::is_constructible_v<function_ref<int(int)>, int (&)(const char*)>, "arguments must fit");

TEST_CASE("function_ref: calls the object it refers to, not a copy") {
  int calls = 0;
  auto count = [&calls, own = 0](int n) mutable { return calls += n, ++own; };
  const function_ref<int(int)> f = count, copy = f;
  CHECK(f(2) == 1);
  CHECK(copy(3) == 2);
  CHECK(count(1) == 3);
  CHECK(calls == 6);
}

TEST_CASE("function_ref: passes references and objects that only move, and converts results") {
  auto set = [](std::unique_ptr<int> from, int& to) { return to = *from; };
  const function_ref<long(std::unique_ptr<int>, int&)> f = set;
  int x = 0;
  CHECK(f(std::make_unique<int>(5), x) == 5L);
  CHECK(x == 5);
}

TEST_CASE("function_ref: an empty one tests false") {
  const auto nothing = [] {};
  CHECK_FALSE(function_ref<void()>{});
  CHECK(function_ref<void()>{nothing});
}
