#include <formwork/core/version.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("version: the header, the package and the build agree") {
  using namespace formwork;
  CHECK(std::to_string(version_major) + "." + std::to_string(version_minor) + "." +
            std::to_string(version_patch) ==
        FORMWORK_TEST_VERSION);
}
