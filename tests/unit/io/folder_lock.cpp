#include <formwork/io/folder_lock.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <optional>

#include <sys/wait.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

TEST_CASE("folder lock: a second holder is refused, and the next one is not") {
  formwork_test::scratch_folder folder;
  const std::string refusal =
      folder.path() + ": another run is using this folder; wait for its end or choose another folder";
  std::optional<folder_lock> first(folder.path());
  CHECK(failure_of<error>([&] { folder_lock second(folder.path()); }) == refusal);
  CHECK(std::filesystem::exists(folder / "lock"));  // the refused one has not removed it
  const pid_t child = ::fork();
  if (child == 0) ::_exit(failure_of<error>([&] { folder_lock second(folder.path()); }) == refusal ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  first.reset();
  CHECK_FALSE(std::filesystem::exists(folder / "lock"));
  folder_lock next(folder.path());
  CHECK(std::filesystem::exists(folder / "lock"));
}

TEST_CASE("folder lock: a killed process leaves nothing that stops the next one") {
  formwork_test::scratch_folder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const folder_lock held(folder.path());
    if (::write(ready[1], "x", 1) == 1)
      for (;;) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_AS(folder_lock(folder.path()), error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(std::filesystem::exists(folder / "lock"));
  folder_lock next(folder.path());
  CHECK_THROWS_AS(folder_lock(folder.path()), error);
  for (const int end : ready) ::close(end);
}

TEST_CASE("folder lock: a folder that is not there is an error with the reason") {
  formwork_test::scratch_folder folder;
  CHECK(failure_of<error>([&] { folder_lock none(folder / "none"); }) ==
        folder / "none/lock: cannot be opened for writing: No such file or directory");
}
