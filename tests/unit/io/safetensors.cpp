#include <formwork/io/safetensors.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

namespace {

std::string file_of(const std::string& header, const std::string& data) {
  std::string out(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) out[i] = char(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

std::string fault_of(const std::string& header, const std::string& data = "") {
  const formwork_test::scratch_file file("x.safetensors", file_of(header, data));
  const std::string message = failure_of<error>([&] { safetensors_reader reader(file.path); });
  if (message.empty()) return "";
  REQUIRE(message.starts_with(file.path + ": "));
  return message.substr(file.path.size() + 2);
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}";
}

}  // namespace

TEST_CASE("safetensors_reader: gives names, shapes, metadata and values") {
  const std::string header = "{" + tensor("b", "I16", "[2]", "[8,12]") + ",\"__metadata__\":{\"k\":\"v\"}," +
                             tensor("a", "BF16", "[2,2]", "[0,8]") + "}";
  const formwork_test::scratch_file file(
      "x", file_of(header, std::string("\x80\x3f\x00\xc0\x00\x00\x80\x7f\x01\x00\xff\xff", 12)));
  const safetensors_reader reader(file.path);
  CHECK(reader.names() == std::vector<std::string>{"a", "b"});
  CHECK(reader.metadata().at("k") == "v");
  CHECK(reader.contains("a"));
  CHECK_FALSE(reader.contains("c"));
  CHECK(reader.entry("a").count() == 4);
  const file_array<float> a = reader.tensor<float>("a");
  CHECK(a.shape == std::vector<index_t>{2, 2});
  CHECK(a.values == std::vector<float>{1, -2, 0, std::numeric_limits<float>::infinity()});
  CHECK(reader.tensor<double>("a").values[1] == -2);
  CHECK(reader.tensor<std::int16_t>("b").values == std::vector<std::int16_t>{1, -1});
  CHECK(reader.bytes("b").size() == 4);
  CHECK(reader.bytes("b")[2] == std::byte{0xff});
}

TEST_CASE("safetensors_reader: a wrong name, type or size is a sentence") {
  const formwork_test::scratch_file file(
      "x", file_of("{" + tensor("a", "I64", "[1,2]", "[0,16]") + "}", std::string(16, '\0')));
  const safetensors_reader reader(file.path);
  CHECK(failure_of<error>([&] { reader.tensor<float>("b"); }) ==
        file.path + ": holds no tensor \"b\"; it holds 1 others");
  CHECK(failure_of<error>([&] { reader.tensor<float>("a"); }) ==
        file.path + ": tensor \"a\" holds I64, expected F32");
  CHECK(failure_of<error>([&] { reader.tensor<std::uint64_t>("a"); }) ==
        file.path + ": tensor \"a\" holds I64, expected U64");
  std::int64_t three[3];
  CHECK(failure_of<error>([&] { reader.read_into("a", std::span<std::int64_t>(three)); }) ==
        file.path + ": tensor \"a\" has 2 elements (shape [1, 2]), expected 3");
}

TEST_CASE("safetensors_reader: every part of the header is checked") {
  CHECK(fault_of("{}").empty());
  CHECK(fault_of("[]") == "header: expected a JSON object");
  CHECK(fault_of("{\"a\":1}") == "header: tensor \"a\": expected the member \"dtype\"");
  CHECK(fault_of("{\"__metadata__\":null}").empty());
  CHECK(fault_of("{\"__metadata__\":[]}") == "header: expected \"__metadata__\" to be an object");
  CHECK(fault_of("{\"__metadata__\":{\"a\":1}}") == "header: expected the metadata \"a\" to be a string");
  const auto one = [](const std::string& type, const std::string& shape, const std::string& offsets,
                      std::size_t bytes) {
    return fault_of("{" + tensor("a", type, shape, offsets) + "}", std::string(bytes, '\0'));
  };
  CHECK(one("F32", "[1]", "[0,4]", 4).empty());
  CHECK(one("f32", "[1]", "[0,4]", 4) == "header: tensor \"a\": unknown dtype \"f32\"");
  CHECK(one("F32", "1", "[0,4]", 4) == "header: tensor \"a\": expected \"shape\" to be an array");
  CHECK(one("F32", "[-1]", "[0,4]", 4) ==
        "header: tensor \"a\": -1 found, expected an integer from 0 to 2^63 - 1");
  CHECK(one("F32", "[1.0]", "[0,4]", 4).find("1.0 found") != std::string::npos);
  CHECK(one("F32", "[1]", "[0,4,8]", 4).find("array of two") != std::string::npos);
  CHECK(one("F32", "[1]", "[4,8]", 8) ==
        "tensor \"a\": its data lies from 4 to 8, expected to begin at 0, where the tensor before ends");
  CHECK(one("F32", "[2]", "[0,4]", 4) == "tensor \"a\": 4 bytes of data, expected 8 for F32 [2]");
  CHECK(one("F32", "[4611686018427387904,4]", "[0,4]", 4) ==
        "tensor \"a\": shape [4611686018427387904, 4] overflows 63 bits");
  CHECK(one("F32", "[2]", "[0,8]", 4) ==
        "tensor \"a\": needs 8 bytes of data, but the file has 4; it ends too early");
  CHECK(one("F32", "[1]", "[0,4]", 6) == "2 bytes behind the last tensor belong to none");
  CHECK(fault_of("{" + tensor("a", "U8", "[1]", "[0,1]") + "," + tensor("a", "U8", "[1]", "[1,2]") + "}",
                 "xx") == "header: the name \"a\" is given twice");
}

TEST_CASE("safetensors_reader: empty tensors may lie anywhere between others") {
  CHECK(fault_of("{" + tensor("z", "F32", "[0,3]", "[4,4]") + "," + tensor("a", "F32", "[]", "[0,4]") + "," +
                     tensor("b", "U8", "[1]", "[4,5]") + "," + tensor("c", "I8", "[0]", "[5,5]") + "}",
                 "12345") == "");
}

TEST_CASE("safetensors_reader: a file that is cut or has a byte changed never crashes") {
  const std::string whole =
      file_of("{" + tensor("a", "F32", "[2]", "[0,8]") + "," + tensor("b", "U8", "[3]", "[8,11]") + "}",
              "12345678901");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const formwork_test::scratch_file file("x", whole.substr(0, cut));
    CAPTURE(cut);
    CHECK(failure_of<error>([&] { safetensors_reader reader(file.path); }).starts_with(file.path + ": "));
  }
  for (std::size_t at = 0; at < whole.size() * 8; ++at) {
    std::string changed = whole;
    changed[at / 8] = char(changed[at / 8] ^ (1 << at % 8));
    const formwork_test::scratch_file file("x", changed);
    const std::string message = failure_of<error>([&] {
      const safetensors_reader reader(file.path);
      for (const std::string& name : reader.names()) reader.bytes(name);
    });
    if (!message.empty()) CHECK(message.starts_with(file.path + ": "));
  }
}
