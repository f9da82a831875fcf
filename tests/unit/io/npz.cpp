#include <formwork/io/npz.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

namespace {

std::string number(std::size_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += char(value >> (8 * i) & 0xff);
  return out;
}

std::string deflated(const std::string& bytes) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(bytes.size() + 100, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = uInt(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = uInt(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// A zip archive after the ZIP specification (APPNOTE): two members of the same content, stored and deflated.
std::string archive(const std::string& content) {
  std::string files, directory;
  for (const int method : {0, 8}) {
    const std::string data = method ? deflated(content) : content, name = method ? "b.npy" : "a.npy";
    const std::size_t sum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size()));
    const std::string facts = number(20, 2) + number(0, 2) + number(std::size_t(method), 2) + number(0, 4) +
                              number(sum, 4) + number(data.size(), 4) + number(content.size(), 4) +
                              number(name.size(), 2) + number(0, 2);
    directory += number(0x02014b50, 4) + number(20, 2) + facts + std::string(10, '\0') +
                 number(files.size(), 4) + name;
    files += number(0x04034b50, 4) + facts + name + data;
  }
  return files + directory + number(0x06054b50, 4) + number(0, 4) + number(2, 2) + number(2, 2) +
         number(directory.size(), 4) + number(files.size(), 4) + number(0, 2);
}

std::string content() {
  const formwork_test::scratch_file file("x.npy", "");
  const std::vector<std::int32_t> values{5, 6, 7, 8, 9, 10};
  write_npy(file.path, std::span<const std::int32_t>(values), {2, 3});
  return formwork_test::bytes_of(file.path);
}

std::string read_all(const std::string& path) {
  return failure_of<error>([&] {
    const npz_reader reader(path);
    for (const std::string& name : reader.names()) reader.array<std::int32_t>(name);
  });
}

}  // namespace

TEST_CASE("npz: stored and deflated arrays are read by name") {
  const formwork_test::scratch_file file("x.npz", archive(content()));
  const npz_reader reader(file.path);
  CHECK(reader.names() == std::vector<std::string>{"a", "b"});
  for (const char* name : {"a", "b"}) {
    CHECK(reader.array<std::int32_t>(name).shape == std::vector<index_t>{2, 3});
    CHECK(reader.array<std::int32_t>(name).values == std::vector<std::int32_t>{5, 6, 7, 8, 9, 10});
  }
  CHECK(failure_of<error>([&] { reader.array<float>("c"); }) ==
        file.path + ": holds no array \"c\"; it holds 2 others");
  CHECK(failure_of<error>([&] { reader.array<float>("b"); }) ==
        file.path + ": array \"b\": holds I32, expected F32");
}

TEST_CASE("npz: an archive that is cut is an error, one with a byte changed never crashes") {
  const std::string whole = archive(content());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const formwork_test::scratch_file file("x.npz", whole.substr(0, cut));
    CAPTURE(cut);
    CHECK(read_all(file.path).starts_with(file.path + ": "));
  }
  for (std::size_t at = 0; at < whole.size() * 8; ++at) {
    std::string changed = whole;
    changed[at / 8] = char(changed[at / 8] ^ (1 << at % 8));
    const formwork_test::scratch_file file("x.npz", changed);
    const std::string message = read_all(file.path);
    if (!message.empty()) CHECK(message.starts_with(file.path + ": "));
  }
}

TEST_CASE("npz: a changed element is found by its checksum") {
  std::string bytes = archive(content());
  bytes[30 + 5 + 128] = 'x';
  const formwork_test::scratch_file file("x.npz", bytes);
  CHECK(read_all(file.path) == file.path + ": array \"a\": its checksum does not fit");
}
