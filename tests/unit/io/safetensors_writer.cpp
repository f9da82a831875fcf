#include <formwork/io/safetensors_writer.hpp>

#include <doctest/doctest.h>

#include <formwork/io/safetensors.hpp>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::bytes_of;
using formwork_test::failure_of;

namespace {
template <class T>
std::span<const T> span_of(const std::vector<T>& values) {
  return values;
}
}  // namespace

TEST_CASE("safetensors_writer: what it writes reads back, wide types first and aligned") {
  formwork_test::scratch_folder folder;
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  const std::vector<float> floats{0.1f, -0.f, 3, 4, 5, 6};
  const std::vector<double> scalar{1.0 / 3}, none;
  const std::vector<std::int64_t> wide{std::numeric_limits<std::int64_t>::min(), 7};
  safetensors_writer writer;
  writer.set_metadata("note", "line\n\"quoted\" \xC3\xA9");
  writer.add("bytes", {3}, span_of(bytes));
  writer.add("w\"1\"", {2, 3}, span_of(floats));
  writer.add("scalar", {}, span_of(scalar));
  writer.add("none", {0, 5}, span_of(none));
  writer.add("wide", {2, 1}, span_of(wide));
  writer.add_streamed("half", dtype::BF16, {2}, [](file_writer& out) { out.write("\x80\x3f\0\x40", 4); });
  writer.write(folder / "a");

  const safetensors_reader reader(folder / "a");
  CHECK(reader.names() == std::vector<std::string>{"scalar", "none", "wide", "w\"1\"", "half", "bytes"});
  CHECK(reader.metadata().at("note") == "line\n\"quoted\" \xC3\xA9");
  CHECK(reader.tensor<std::uint8_t>("bytes").values == bytes);
  CHECK(reader.tensor<float>("w\"1\"").values == floats);
  CHECK(reader.tensor<float>("w\"1\"").shape == std::vector<index_t>{2, 3});
  CHECK(reader.tensor<double>("scalar").values == scalar);
  CHECK(reader.tensor<double>("scalar").shape.empty());
  CHECK(reader.tensor<double>("none").shape == std::vector<index_t>{0, 5});
  CHECK(reader.tensor<std::int64_t>("wide").values == wide);
  CHECK(reader.tensor<float>("half").values == std::vector<float>{1, 2});
  for (const tensor_entry& entry : reader.entries()) CHECK(entry.begin % bytes_of(entry.type) == 0);
}

TEST_CASE("safetensors_writer: the bytes are fixed") {
  formwork_test::scratch_folder folder;
  const std::vector<std::int16_t> values{1, -2};
  safetensors_writer writer;
  writer.add("a", {2}, span_of(values));
  writer.set_metadata("k", "v");
  writer.write(folder / "a");
  const std::string header =
      "{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"I16\",\"shape\":[2],\"data_offsets\":[0,4]}} ";
  REQUIRE(header.size() == 80);
  CHECK(bytes_of(folder / "a") ==
        std::string("\x50\0\0\0\0\0\0\0", 8) + header + std::string("\1\0\xfe\xff", 4));
}

TEST_CASE("safetensors_writer: wrong calls are errors and write nothing") {
  formwork_test::scratch_folder folder;
  const std::vector<float> values{1, 2};
  safetensors_writer writer;
  writer.add("a", {2}, span_of(values));
  CHECK(failure_of<error>([&] { writer.add("a", {2}, span_of(values)); }) ==
        "safetensors: tensor \"a\" was added twice");
  CHECK(failure_of<error>([&] { writer.add("b", {3}, span_of(values)); }) ==
        "safetensors: tensor \"b\" has 2 values, expected shape [3]");
  CHECK(failure_of<error>([&] { writer.add("__metadata__", {2}, span_of(values)); }) != "");
  CHECK(failure_of<error>([&] { writer.add("\xff", {2}, span_of(values)); }) != "");
  CHECK(failure_of<error>([&] { writer.set_metadata("k", "\xff"); }) != "");
  writer.add_streamed("short", dtype::U8, {3}, [](file_writer& out) { out.write("xx", 2); });
  CHECK(failure_of<error>([&] { writer.write(folder / "a"); }) ==
        folder / "a: tensor \"short\": 2 bytes were written, expected 3");
  CHECK(std::filesystem::is_empty(folder.path()));
}
