#include <formwork/tensor/storage.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace formwork;

TEST_CASE("storage: zeroed, aligned, and large blocks on a boundary of huge pages") {
  storage<float> s(100);
  CHECK(s.size() == 100);
  CHECK(reinterpret_cast<std::uintptr_t>(s.data()) % 64 == 0);
  for (float x : s) CHECK(x == 0.0f);
  const storage<double> large(1 << 20);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % (std::uintptr_t{2} << 20) == 0);
  CHECK(large[(1 << 20) - 1] == 0.0);
}

TEST_CASE("storage: reserve keeps contents that fit, resize starts again, assign copies") {
  storage<int> s(4);
  s[2] = 7;
  const int* place = s.data();
  s.reserve(3);
  CHECK(s.data() == place);
  CHECK(s[2] == 7);
  s.reserve(50);
  CHECK(s.size() == 50);
  const int numbers[] = {1, 2, 3};
  s.assign(numbers, 3);
  CHECK(s.size() == 3);
  CHECK(s[1] == 2);
  storage<int> moved(std::move(s));
  CHECK(moved[2] == 3);
  CHECK(s.size() == 0);  // an empty block, not a dangling one
}

TEST_CASE("storage: a size that no machine has is an error") {
  CHECK_THROWS_AS(storage<double>(index_t{1} << 61), error);
  CHECK_THROWS_AS(storage<double>(-1), error);
}
