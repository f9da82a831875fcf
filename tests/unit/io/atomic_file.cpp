#include <formwork/io/atomic_file.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::bytes_of;
using formwork_test::failure_of;

namespace {

void write_text(const std::string& path, const std::string& bytes) {
  write_atomically(path, [&](file_writer& out) { out.write(bytes.data(), bytes.size()); });
}

// Runs `f` in a child process; returns its exit status, or -1 where a signal ended it.
template <class F>
int in_child(F&& f) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("file_writer: counts bytes and keeps the checksum, whatever the sizes of the writes") {
  formwork_test::scratch_folder folder;
  std::string bytes(1'000'003, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(i * 7919 >> 5);
  for (const std::size_t part : {std::size_t{1009}, std::size_t{262143}, std::size_t{262144}, bytes.size()}) {
    write_atomically(folder / "a", [&](file_writer& out) {
      for (std::size_t at = 0; at < bytes.size(); at += part) {
        out.write(bytes.data() + at, (std::min)(part, bytes.size() - at));
      }
      CHECK(out.bytes() == 1'000'003);
      CHECK(out.checksum() == crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())));
    });
    CHECK(bytes_of(folder / "a") == bytes);
  }
  write_atomically(folder / "b", [&](file_writer& out) {
    out.write("123456789", 9);
    CHECK(out.checksum() == 0xCBF43926u);  // the check value of CRC-32
  });
}

TEST_CASE("write_atomically: an exception leaves the old file and no other") {
  formwork_test::scratch_folder folder;
  write_text(folder / "a", "old");
  const std::string message = failure_of<error>([&] {
    write_atomically(folder / "a", [](file_writer& out) {
      const std::string much(1 << 20, 'x');
      out.write(much.data(), much.size());
      fail("stopped here");
    });
  });
  CHECK(message == "stopped here");
  CHECK(bytes_of(folder / "a") == "old");
  CHECK_FALSE(std::filesystem::exists(folder / "a.partial"));
  write_text(folder / "a", "");
  CHECK(bytes_of(folder / "a").empty());
}

TEST_CASE("write_atomically: failures name the path and the reason") {
  formwork_test::scratch_folder folder;
  CHECK(failure_of<error>([&] { write_text(folder / "none/a", "x"); }) ==
        folder / "none/a.partial: cannot be opened for writing: No such file or directory");
  std::filesystem::create_directories(folder / "taken/inside");
  CHECK(failure_of<error>([&] {
          write_text(folder / "taken", "x");
        }).starts_with(folder / "taken: is no regular file"));
  CHECK_FALSE(std::filesystem::exists(folder / "taken.partial"));
}

TEST_CASE("write_atomically: a full disk leaves the old file, and the error says what failed") {
  formwork_test::scratch_folder folder;
  write_text(folder / "a", "old");
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{600'000, 600'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message =
        failure_of<error>([&] { write_text(folder / "a", std::string(1'000'000, 'x')); });
    return message == folder / "a.partial: cannot be written: File too large" ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(bytes_of(folder / "a") == "old");
  CHECK_FALSE(std::filesystem::exists(folder / "a.partial"));
}

TEST_CASE("write_atomically: two writers of one file do not mix") {
  formwork_test::scratch_folder folder;
  write_atomically(folder / "a", [&](file_writer& out) {
    out.write("first", 5);
    CHECK(failure_of<error>([&] { write_text(folder / "a", "second"); }) ==
          folder / "a.partial: another process or thread is writing this file");
    CHECK(std::filesystem::exists(folder / "a.partial"));
  });
  CHECK(bytes_of(folder / "a") == "first");
}

TEST_CASE("write_atomically: what is no regular file is refused and stays") {
  formwork_test::scratch_folder folder;
  const std::string pipe = folder / "pipe", link = folder / "link";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(pipe, link);
  for (const std::string& path : {pipe, link, folder.path()}) {
    CHECK(failure_of<error>([&] { write_text(path, "x"); }) ==
          path + ": is no regular file, and a file would take its place");
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  }
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::filesystem::is_symlink(link));
}

TEST_CASE("write_atomically: a kill at any time leaves a whole file, and the next write works") {
  formwork_test::scratch_folder folder;
  const std::string path = folder / "a";
  const auto content = [](int i) { return std::string(300'000, char('a' + i % 26)); };
  write_text(path, content(0));
  int seen = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      failure_of<error>([&] {
        for (int i = 1;; ++i) write_text(path, content(i));
      });
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 911 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const std::string left = bytes_of(path);
    REQUIRE(left.size() == 300'000);
    REQUIRE(left.find_first_not_of(left[0]) == std::string::npos);
    seen += left[0] != 'a';
  }
  CHECK(seen > 0);
  write_text(path, "after");
  CHECK(bytes_of(path) == "after");
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
}
