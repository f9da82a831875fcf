#include <formwork/io/json_lines.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <nlohmann/json.hpp>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::bytes_of;
using formwork_test::failure_of;

TEST_CASE("json_lines: every line is one JSON object, on the disk at once") {
  formwork_test::scratch_folder folder;
  json_lines log(folder / "log");
  log.write(1, {{"loss", 0.1}, {"loss32", 0.1f}, {"tokens", 25'000}, {"phase", "train"}, {"ok", true}});
  CHECK(bytes_of(folder / "log") ==
        "{\"step\":1,\"loss\":0.1,\"loss32\":0.1,\"tokens\":25000,\"phase\":\"train\",\"ok\":true}\n");
  log.write(2, {});
  log.write(3, {{"loss", std::numeric_limits<double>::quiet_NaN()}, {"note", std::string_view("a\"\n\xff")}});
  const std::string bytes = bytes_of(folder / "log"), last = bytes.substr(bytes.find("{\"step\":3"));
  CHECK(last == "{\"step\":3,\"loss\":\"nan\",\"note\":\"a\\\"\\u000a\xEF\xBF\xBD\"}\n");
  CHECK(nlohmann::json::parse(last)["step"] == 3);
  json_lines(folder / "log").write(4, {});
  CHECK(bytes_of(folder / "log") == bytes + "{\"step\":4}\n");
}

TEST_CASE("json_lines: a resumed log has each step once") {
  formwork_test::scratch_folder folder;
  const auto run = [&](step_t from, step_t to) {
    json_lines log(folder / "log", from);
    for (step_t step = from + 1; step <= to; ++step) {
      log.write(step, {{"loss", 1.0 / double(step)}});
      if (step % 10 == 0) log.write(step, {{"valid", 2.0}});
    }
  };
  run(0, 40);
  const std::string straight = bytes_of(folder / "log");
  for (const step_t stopped : {0, 1, 10, 39, 40, 50}) {
    CAPTURE(stopped);
    run(stopped, 40);
    CHECK(bytes_of(folder / "log") == straight);
  }
  folder.write("log", straight + "{\"step\":41,\"lo");
  json_lines(folder / "log", 40);
  CHECK(bytes_of(folder / "log") == straight);
  folder.write("log", straight + "{\"step\":4");
  json_lines(folder / "log", 1000);
  CHECK(bytes_of(folder / "log") == straight);
  json_lines(folder / "log", -1);
  CHECK(bytes_of(folder / "log").empty());
}

TEST_CASE("json_lines: another file is not shortened") {
  formwork_test::scratch_folder folder;
  const std::string bytes = "{\"step\":1}\na text\n";
  folder.write("log", bytes);
  CHECK(failure_of<error>([&] { json_lines(folder / "log", 5); }) ==
        folder / "log:2: no line of a metrics log, expected {\"step\":...}");
  CHECK(bytes_of(folder / "log") == bytes);
  CHECK(failure_of<error>([&] { json_lines(folder / "none/log"); }) ==
        folder / "none/log: cannot be opened for writing: No such file or directory");
}
TEST_CASE("json_lines: a full device is an error that names the log") {
  json_lines log("/dev/full");
  CHECK(failure_of<error>([&] { log.write(1, {}); }) ==
        "/dev/full: cannot be written: No space left on device");
}
