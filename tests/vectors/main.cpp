#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "../support/shared.hpp"

// These tests read reference data that does not belong to the project. Where it is absent the whole
// executable reports itself as skipped (exit status 77, CTest's SKIP_RETURN_CODE), never as passed.
int main(int argc, char** argv) {
  if (!formwork_test::shared_exists()) {
    std::printf("SKIPPED: no reference data at %s\n", formwork_test::shared_path("data").c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
