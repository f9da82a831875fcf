#include <formwork/kernels/cpu/backend.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("backend: scratch stays where it is once it has grown, slots and members have their own") {
  cpu_backend backend(2);
  CHECK(backend.threads() == 2);
  float* const shared = backend.scratch<float>(0, 1000);
  shared[0] = 5, shared[999] = 7;
  CHECK(backend.scratch<float>(0, 10) == shared);
  CHECK((shared[0] == 5 && shared[999] == 7));
  double* const other = backend.scratch<double>(1, 1000);
  CHECK((static_cast<void*>(other) >= shared + 1000 || static_cast<void*>(other + 1000) <= shared));
}

TEST_CASE("backend: what has been reserved for the members is there inside a task") {
  cpu_backend backend(3);
  backend.reserve_members<float>(2, 500);
  float* place[3];
  for (int m = 0; m < 3; ++m) place[m] = backend.member_scratch<float>(m, 2, 500);
  CHECK((place[0] != place[1] && place[1] != place[2] && place[0] != place[2]));
  bool same[64]{};
  backend.team().run(64, [&](index_t task, int member) {
    float* const mine = backend.member_scratch<float>(member, 2, 500);
    for (int i = 0; i < 500; ++i) mine[i] = float(task);
    same[task] = mine == place[member] && mine[499] == float(task);
  });
  for (const bool s : same) CHECK(s);
}
