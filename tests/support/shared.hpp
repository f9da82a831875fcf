#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#ifndef FORMWORK_TEST_SHARED
#define FORMWORK_TEST_SHARED "../shared"
#endif

namespace formwork_test {

/// Path of a file in the reference data that lies beside a checkout. The environment variable FORMWORK_SHARED
/// names another place.
inline std::string shared_path(const std::string& file) {
  const char* place = std::getenv("FORMWORK_SHARED");
  return std::string(place ? place : FORMWORK_TEST_SHARED) + "/" + file;
}

inline bool shared_exists() { return std::filesystem::exists(shared_path("data")); }

}  // namespace formwork_test
