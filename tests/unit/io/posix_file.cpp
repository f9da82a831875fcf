#include <formwork/io/posix_file.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

TEST_CASE("readable_file: reads any part and says where a file ends") {
  formwork_test::scratch_folder folder;
  const readable_file file(folder.write("a", "0123456789"));
  CHECK(file.size() == 10);
  char part[4] = {};
  file.read(3, part, 3);
  CHECK(std::string(part) == "345");
  file.read(10, part, 0);
  CHECK(failure_of<error>([&] { file.read(8, part, 3); }) ==
        folder / "a: ends at byte 10, where 1 more were expected");
}

TEST_CASE("readable_file: what cannot be opened is named with the reason") {
  formwork_test::scratch_folder folder;
  CHECK(failure_of<error>([&] { readable_file(folder / "none"); }) ==
        folder / "none: cannot be opened for reading: No such file or directory");
  CHECK(failure_of<error>([&] { readable_file(folder.path()); }) ==
        folder.path() + ": expected a regular file");
}

TEST_CASE("open_locked: one holder at a time, also after the file has lost its name to another") {
  formwork_test::scratch_folder folder;
  const std::string path = folder / "a";
  file_descriptor first = open_locked(path);
  CHECK(first.number() >= 0);
  CHECK(open_locked(path).number() < 0);
  std::filesystem::rename(path, folder / "b");
  file_descriptor second = open_locked(path);  // another file by now
  CHECK(second.number() >= 0);
  CHECK(open_locked(path).number() < 0);
  CHECK(open_locked(folder / "b").number() < 0);
  first.close();
  CHECK(open_locked(folder / "b").number() >= 0);
}

TEST_CASE("file_descriptor: moves leave one owner, close works once") {
  file_descriptor a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = a.number();
  file_descriptor b(std::move(a));
  CHECK(b.number() == number);
  CHECK(b.close() == 0);
  CHECK(b.close() == 0);
  CHECK(::fcntl(number, F_GETFD) == -1);
}
