#include <formwork/data/lines.hpp>

#include <doctest/doctest.h>

#include "../../support/peak_memory.hpp"
#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::scratch_file;

namespace {

std::string gzip(const std::string& bytes) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = uInt(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = uInt(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::vector<std::string> lines_of(const std::string& bytes, const char* name = "a.txt") {
  return read_lines(scratch_file(name, bytes).path);
}

std::string failure_of(const std::string& path) {
  return formwork_test::failure_of<error>([&] { read_lines(path); });
}

using strings = std::vector<std::string>;
using namespace std::string_literals;

}  // namespace

TEST_CASE("lines: every end of line and every byte is read exactly") {
  CHECK(lines_of("") == strings{});
  CHECK(lines_of("\n") == strings{""});
  CHECK(lines_of("a") == strings{"a"});
  CHECK(lines_of("a\nb\n") == strings{"a", "b"});
  CHECK(lines_of("a\nb") == strings{"a", "b"});
  CHECK(lines_of("a\r\n\r\nb\r\n") == strings{"a", "", "b"});
  CHECK(lines_of("a\rb\nc\r\r\nd\r") == strings{"a\rb", "c\r", "d\r"});
  CHECK(lines_of("\n\n\n") == strings{"", "", ""});
  CHECK(lines_of("a\0b\n\0\n\xff\xfe\n"s) == strings{"a\0b"s, "\0"s, "\xff\xfe"});
  CHECK(lines_of("\xC2\xA0x\xE3\x80\x80\n") == strings{"\xC2\xA0x\xE3\x80\x80"});
}

TEST_CASE("lines: only a byte order mark at the start is skipped") {
  CHECK(lines_of("\xEF\xBB\xBF") == strings{});
  CHECK(lines_of("\xEF\xBB\xBF\n") == strings{""});
  CHECK(lines_of("\xEF\xBB\xBFx\n\xEF\xBB\xBFy") == strings{"x", "\xEF\xBB\xBFy"});
  CHECK(lines_of("\xEF\xBB") == strings{"\xEF\xBB"});
  CHECK(lines_of(gzip("\xEF\xBB\xBFx\n"), "b.gz") == strings{"x"});
}

TEST_CASE("lines: lines may lie across blocks in any way") {
  for (const std::size_t length : {131070u, 131071u, 131072u, 131073u, 300000u}) {
    strings expected{std::string(length, 'x'), "", std::string(7, 'y'), std::string(length, 'z')};
    for (const char* end : {"\n", "\r\n"}) {
      std::string bytes;
      for (const std::string& line : expected) bytes += line + end;
      CHECK(lines_of(bytes) == expected);
      CHECK(lines_of(gzip(bytes), "c.gz") == expected);
    }
  }
}

TEST_CASE("lines: a large file needs no more memory than a small one") {
  std::string text;
  while (text.size() < (std::size_t{24} << 20)) text += std::string(900 + text.size() % 700, 'x') + "\n";
  const scratch_file plain("large.txt", text), packed("large.gz", gzip(text));
  for (const std::string& path : {plain.path, packed.path}) {
    const index_t peak = formwork_test::peak_memory_of([&] {
      index_t read = 0;
      for_each_line(path, [&](std::string_view line, index_t) { read += index_t(line.size()) + 1; });
      if (read != index_t(text.size())) fail("not all was read");
    });
    CHECK(peak >= 0);
    CHECK(peak < index_t{4} << 20);
  }
}

TEST_CASE("lines: gzip data is known by its bytes and may have several members and zero padding") {
  CHECK(lines_of(gzip("a\nb"), "no_ending") == strings{"a", "b"});
  CHECK(lines_of(gzip("a\nb") + gzip("") + gzip("c\nd\n"), "d.gz") == strings{"a", "bc", "d"});
  CHECK(lines_of(gzip("a\n") + std::string(70000, '\0'), "e.gz") == strings{"a"});
  CHECK(lines_of(gzip(""), "f.gz") == strings{});
}

TEST_CASE("lines: gzip data cut at any byte is an error with file and line") {
  const std::string whole = gzip("one\ntwo\nthree and some more text\n");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const scratch_file file("cut.gz", whole.substr(0, cut));
    CAPTURE(cut);
    CHECK(failure_of(file.path).starts_with(file.path + ":"));
  }
  std::string long_text;
  for (int i = 0; i < 100000; ++i) long_text += "line " + std::to_string(i * 7919 % 100003) + "\n";
  std::string packed = gzip(long_text);
  packed.resize(packed.size() - 9);
  const scratch_file file("cut_late.gz", packed);
  index_t seen = 0;
  std::string message;
  try {
    for_each_line(file.path, [&](std::string_view, index_t) { ++seen; });
  } catch (const error& e) {
    message = e.what();
  }
  CHECK(seen > 90000);
  CHECK(message == file.path + ":" + std::to_string(seen + 1) + ": the gzip data ends too early");
}

TEST_CASE("lines: damaged gzip data is an error or leaves the text as it was") {
  const std::string expected = "one\ntwo\nthree and some more text\n", whole = gzip(expected);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = char(bytes[at] ^ 0x20);
    const scratch_file file("flip.gz", bytes);
    CAPTURE(at);
    if (failure_of(file.path).empty()) CHECK(read_lines(file.path).size() == 3);  // time stamp, system, flags
  }
  const scratch_file garbage("garbage.gz", gzip("one\ntwo\n") + "garbage");
  CHECK(failure_of(garbage.path).find(":3: the gzip data is damaged") != std::string::npos);
}

TEST_CASE("lines: a text that cannot be written names file and reason and changes nothing") {
  const formwork_test::scratch_folder folder;
  detail::write_text(folder / "a", "x\0\r\n"s);
  detail::write_text(folder / "a", "y\n"s);
  CHECK(formwork_test::bytes_of(folder / "a") == "y\n");
  CHECK_THROWS_WITH_AS(detail::write_text("/nowhere/a", ""),
                       "/nowhere/a: cannot be opened for writing: No such file or directory", error);
  const std::string taken = folder / "taken";
  std::filesystem::create_directory(taken);
  CHECK_THROWS_WITH_AS(detail::write_text(taken, ""), (taken + ": cannot be written: Is a directory").c_str(),
                       error);
  CHECK_FALSE(std::filesystem::exists(taken + ".partial"));
}

TEST_CASE("lines: files that cannot be read are named") {
  CHECK(failure_of("/nonexistent/x.txt") ==
        "/nonexistent/x.txt: cannot be opened for reading: No such file or directory");
  CHECK(failure_of("/") == "/:1: the file cannot be read: Is a directory");
  const scratch_file file("not.gz", "plain text\n");
  CHECK(failure_of(file.path) == file.path + ": the name ends in .gz, but this is no gzip data");
}

TEST_CASE("lines: numbers count from one and two readers walk side by side") {
  const scratch_file left("l.txt", "a\nb\nc\n"), right("r.txt", "1\n2\n");
  line_reader l(left.path), r(right.path);
  std::string_view a, b;
  std::string pairs;
  while (l.next(a) && r.next(b)) pairs += std::string(a) + std::string(b) + std::to_string(l.line_number());
  CHECK(pairs == "a11b22");
  CHECK(r.line_number() == 2);
  CHECK_FALSE(r.next(b));
  std::vector<index_t> numbers;
  CHECK(for_each_line(left.path, [&](std::string_view, index_t n) { numbers.push_back(n); }) == 3);
  CHECK(numbers == std::vector<index_t>{1, 2, 3});
}
