#include <formwork/io/write_elements.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;

TEST_CASE("write_elements: the lowest byte comes first") {
  formwork_test::scratch_folder folder;
  const std::uint32_t values[] = {0x04030201u, 0x08070605u};
  write_atomically(folder / "a", [&](file_writer& out) {
    detail::write_elements(out, std::span<const std::uint32_t>(values));
  });
  CHECK(formwork_test::bytes_of(folder / "a") == "\1\2\3\4\5\6\7\x8");
}
