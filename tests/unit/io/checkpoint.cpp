#include <formwork/io/checkpoint.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::bytes_of;
using formwork_test::failure_of;

namespace {

constexpr std::string_view fingerprint = "layers=6\nwidth=512\nplacement=pre_norm\n";

checkpoint_writer writer_of(const std::vector<float>& weights, const std::vector<double>& moments) {
  checkpoint_writer writer(fingerprint);
  writer.add("weights", {index_t(weights.size())}, std::span<const float>(weights));
  writer.add("moments", {index_t(moments.size())}, std::span<const double>(moments));
  writer.set("step", std::int64_t{400});
  writer.set("best loss", 1.0 / 3);
  writer.set("phase", std::string("warm-up \"\xC3\xA9\"\n"));
  return writer;
}

}  // namespace

TEST_CASE("checkpoint: tensors and scalars come back exactly") {
  formwork_test::scratch_folder folder;
  const std::vector<float> weights{1, 0.1f, -0.f};
  const std::vector<double> moments{1e-300, 5e-324};
  writer_of(weights, moments).write(folder / "a");
  const checkpoint_reader reader(folder / "a");
  CHECK(reader.fingerprint() == fingerprint);
  CHECK(reader.tensors().tensor<float>("weights").values == weights);
  CHECK(reader.tensors().tensor<double>("moments").values == moments);
  CHECK(reader.scalar<std::int64_t>("step") == 400);
  CHECK(reader.scalar<double>("best loss") == 1.0 / 3);
  CHECK(reader.scalar<std::string>("phase") == "warm-up \"\xC3\xA9\"\n");
  CHECK(reader.scalars().size() == 3);
  CHECK(failure_of<error>([&] { reader.scalar<double>("none"); }) == folder / "a: holds no scalar \"none\"");
  CHECK(failure_of<error>([&] { reader.scalar<double>("step"); }) ==
        folder / "a: scalar \"step\" is \"int 400\", expected another type");
}

TEST_CASE("checkpoint: scalars keep every bit") {
  formwork_test::scratch_folder folder;
  const double doubles[] = {0.0, -0.0,     5e-324,   -2.2250738585072014e-308, 1.7976931348623157e308,
                            0.1, INFINITY, -INFINITY};
  checkpoint_writer writer(fingerprint);
  for (int i = 0; i < 8; ++i) writer.set(text("d", i), doubles[i]);
  writer.set("nan", double(NAN));
  writer.set("lowest", std::numeric_limits<std::int64_t>::min());
  writer.set("empty", std::string());
  writer.write(folder / "a");
  const checkpoint_reader reader(folder / "a");
  for (int i = 0; i < 8; ++i) {
    CHECK(std::bit_cast<std::uint64_t>(reader.scalar<double>(text("d", i))) ==
          std::bit_cast<std::uint64_t>(doubles[i]));
  }
  CHECK(std::isnan(reader.scalar<double>("nan")));
  CHECK(reader.scalar<std::int64_t>("lowest") == std::numeric_limits<std::int64_t>::min());
  CHECK(reader.scalar<std::string>("empty").empty());
}

TEST_CASE("checkpoint: equal states give equal bytes, and a writer may write twice") {
  formwork_test::scratch_folder folder;
  const std::vector<float> weights(1000, 0.5f);
  const std::vector<double> moments{1};
  const checkpoint_writer writer = writer_of(weights, moments);
  writer.write(folder / "a");
  writer.write(folder / "b");
  writer_of(weights, moments).write(folder / "c");
  CHECK(bytes_of(folder / "a") == bytes_of(folder / "b"));
  CHECK(bytes_of(folder / "a") == bytes_of(folder / "c"));
}

TEST_CASE("checkpoint: another configuration is refused with the first key that differs") {
  formwork_test::scratch_folder folder;
  writer_of({1}, {2}).write(folder / "a");
  const checkpoint_reader reader(folder / "a");
  const auto fault = [&](std::string_view expected) {
    const std::string message = failure_of<error>([&] { reader.require_fingerprint(expected); });
    return message.empty() ? ""
                           : message.substr((folder / "a: written under another configuration: ").size());
  };
  CHECK(fault(fingerprint) == "");
  CHECK(fault("width=512\nplacement=pre_norm\nlayers=6") == "");
  CHECK(fault("layers=6\nwidth=1024\nplacement=pre_norm\n") == "\"width\" is 512 in the file and 1024 here");
  CHECK(fault("layers=12\nwidth=1024\nplacement=pre_norm\n") ==
        "\"layers\" is 6 in the file and 12 here, and 1 more differ");
  CHECK(fault("layers=6\nwidth=512\n") == "\"placement\" is pre_norm in the file and not set here");
  CHECK(fault("layers=6\nwidth=512\nplacement=pre_norm\ntied\n") ==
        "\"tied\" is not set in the file and  here");
  CHECK(fault("layers=6\nwidth=512\nplacement=pre_norm\nlayers=7\n") ==
        "\"layers\" is 6 in the file and 6; 7 here");
}

TEST_CASE("fingerprint_hash: is FNV-1a") {
  CHECK(fingerprint_hash("") == "cbf29ce484222325");
  CHECK(fingerprint_hash("a") == "af63dc4c8601ec8c");
  CHECK(fingerprint_hash("foobar") == "85944171f73967e8");
}

TEST_CASE("checkpoint: a cut file and every single changed bit are errors that name the file") {
  formwork_test::scratch_folder folder;
  writer_of({1, 2, 3}, {4, 5}).write(folder / "a");
  const std::string whole = bytes_of(folder / "a"), path = folder / "b";
  const auto fault = [&](const std::string& bytes) {
    folder.write("b", bytes);
    return failure_of<error>([&] { checkpoint_reader reader(path); });
  };
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK(fault(whole.substr(0, cut)).starts_with(path + ": "));
  for (std::size_t at = 0; at < whole.size() * 8; ++at) {
    std::string changed = whole;
    changed[at / 8] = char(changed[at / 8] ^ (1 << at % 8));
    CAPTURE(at);
    CHECK(fault(changed).starts_with(path + ": "));
  }
  std::string changed = whole;
  changed[whole.size() - 7] = 'x';
  CHECK(fault(changed).starts_with(path + ": damaged: the checksum of its bytes is "));
}

TEST_CASE("checkpoint: other files are told apart") {
  formwork_test::scratch_folder folder;
  safetensors_writer plain;
  plain.write(folder / "plain");
  CHECK(failure_of<error>([&] { checkpoint_reader reader(folder / "plain"); }) ==
        folder / "plain: a safetensors file, but no checkpoint");
  plain.set_metadata("checkpoint_version", "2");
  plain.add_streamed("formwork.checksum", dtype::U8, {4}, [](file_writer& out) { out.write("xxxx", 4); });
  plain.write(folder / "later");
  CHECK(failure_of<error>([&] { checkpoint_reader reader(folder / "later"); }) ==
        folder / "later: a checkpoint of version 2, expected 1");
}

TEST_CASE("checkpoint: a full disk leaves the last one loadable") {
  formwork_test::scratch_folder folder;
  writer_of({1, 2}, {3}).write(folder / "a");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<float> much(1 << 20);
    ::_exit(failure_of<error>([&] { writer_of(much, {3}).write(folder / "a"); }) ==
                    folder / "a.partial: cannot be written: File too large"
                ? 0
                : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(checkpoint_reader(folder / "a").tensors().tensor<float>("weights").values ==
        std::vector<float>{1, 2});
}

TEST_CASE("checkpoint: a run killed while it saves leaves a checkpoint that loads") {
  formwork_test::scratch_folder folder;
  const std::vector<double> moments(20'000);
  std::vector<float> weights(20'000);
  writer_of(weights, moments).write(folder / "a");
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      failure_of<error>([&] {
        for (float value = 1;; ++value) {
          weights.assign(weights.size(), value);
          writer_of(weights, moments).write(folder / "a");
        }
      });
      ::_exit(1);
    }
    ::usleep(useconds_t(500 + 911 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const checkpoint_reader reader(folder / "a");
    const std::vector<float> left = reader.tensors().tensor<float>("weights").values;
    REQUIRE(left == std::vector<float>(20'000, left[0]));
  }
}
