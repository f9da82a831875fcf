// Files of other programs: every safetensors file gets the reference reader's verdict, every array its
// known values.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include <formwork/data/lines.hpp>
#include <formwork/io/npz.hpp>
#include <formwork/io/safetensors.hpp>

#include "../support/scratch_file.hpp"
#include "../support/shared.hpp"

using namespace formwork;
using formwork_test::failure_of;

namespace {

const std::string folder = formwork_test::shared_path("data/vectors-formats/");

// What our sentence says for each error of the reference reader.
const std::map<std::string, std::string> wording{
    {"HeaderTooSmall", "expected a safetensors file of at least 8"},
    {"HeaderTooLarge", "expected at most 100000000"},
    {"InvalidHeaderLength", "the file ends too early"},
    {"InvalidHeader", "not valid UTF-8"},
    {"TensorInvalidInfo", "bytes of data, expected"},
    {"ValidationOverflow", "2^63|overflows"},
    {"InvalidOffset", "expected to begin at"},
    {"MetadataIncompleteBuffer", "belong to none|ends too early"},
    {"InvalidHeaderDeserialization", "invalid JSON|unknown dtype"}};

bool says(const std::string& message, std::string alternatives) {
  for (std::size_t at; !alternatives.empty(); alternatives.erase(0, at == std::string::npos ? at : at + 1)) {
    at = alternatives.find('|');
    if (message.find(alternatives.substr(0, at)) != std::string::npos) return true;
  }
  return false;
}

template <class T, class Value>
void check_array(const file_array<T>& array, Value&& value) {
  CHECK(array.shape == std::vector<index_t>{2, 3, 4});
  REQUIRE(array.values.size() == 24);
  for (int i = 0; i < 24; ++i) CHECK(array.values[std::size_t(i)] == T(value(i)));
}

template <class T, class Value>
void check_file(const std::string& name, Value&& value) {
  CAPTURE(name);
  check_array(read_npy<T>(folder + "npy/" + name), value);
}

double seventh(int i) { return i / 7.0; }
float seventh_as_float(int i) { return float(i) / 7.0f; }
int centred(int i) { return i - 12; }

}  // namespace

TEST_CASE("safetensors: every vector gets the reference reader's verdict") {
  int seen = 0;
  for_each_line(folder + "safetensors/expected.tsv", [&](std::string_view line, index_t) {
    const std::size_t tab = line.find('\t');
    const std::string path = folder + "safetensors/" + std::string(line.substr(0, tab));
    const std::string verdict(line.substr(tab + 1, line.find(' ', tab) - tab - 1));
    CAPTURE(path);
    CAPTURE(verdict);
    const std::string message = failure_of<error>([&] { safetensors_reader reader(path); });
    CAPTURE(message);
    CHECK(message.empty() == (verdict == "OK"));
    if (verdict != "OK") CHECK(message.starts_with(path + ": "));
    if (verdict != "OK") CHECK(says(message, wording.at(verdict)));
    ++seen;
  });
  CHECK(seen >= 22);
}

TEST_CASE("safetensors: values of every type") {
  const safetensors_reader reader(folder + "safetensors/all_dtypes.safetensors");
  const std::vector<float> floats{0, -0.f, 1, -2.5f, 65504, 0.001f, 3.1415927f, INFINITY};
  CHECK(reader.tensor<float>("f32").values == floats);
  CHECK(reader.tensor<float>("f32").shape == std::vector<index_t>{2, 4});
  CHECK(reader.tensor<double>("f32").values == std::vector<double>(floats.begin(), floats.end()));
  const auto near = [&](const char* name, double relative) {
    const std::vector<float> values = reader.tensor<float>(name).values;
    REQUIRE(values.size() == 8);
    for (std::size_t i = 0; i < 7; ++i) {
      CHECK(std::fabs(double(values[i]) - double(floats[i])) <= relative * std::fabs(double(floats[i])));
    }
    CHECK(std::signbit(values[1]));
    CHECK(values[7] == INFINITY);
  };
  near("f16", 0x1p-11);
  near("bf16", 0x1p-8);
  CHECK(reader.tensor<std::int64_t>("i64").values == std::vector<std::int64_t>{-1, 4611686018427387904});
  CHECK(reader.tensor<std::int32_t>("i32").values == std::vector<std::int32_t>{-5, 0, 7});
  CHECK(reader.tensor<std::uint8_t>("u8").values == std::vector<std::uint8_t>{0, 1, 254, 255});
  CHECK(reader.tensor<std::uint8_t>("bool").values == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(reader.tensor<std::uint8_t>("scalar").values == std::vector<std::uint8_t>{42});
  CHECK(reader.tensor<std::uint8_t>("scalar").shape.empty());
}

TEST_CASE("npy: values of every type, order and version") {
  check_file<float>("f4_c.npy", seventh_as_float);
  check_file<float>("f4_fortran.npy", seventh_as_float);
  check_file<float>("f4_bigendian.npy", seventh_as_float);
  check_file<double>("f4_bigendian.npy", seventh_as_float);
  check_file<double>("f8_c.npy", seventh);
  check_file<float>("version2.npy", seventh_as_float);
  check_file<std::int32_t>("i4_c.npy", centred);
  check_file<std::int64_t>("i8_c.npy", centred);
  check_file<std::uint8_t>("u1_c.npy", [](int i) { return i; });
  check_file<std::uint8_t>("bool_c.npy", [](int i) { return i % 3 == 0; });
  const file_array<float> half = read_npy<float>(folder + "npy/f2_c.npy");
  for (int i = 0; i < 24; ++i) CHECK(std::fabs(half.values[std::size_t(i)] - i / 7.0) <= 0x1p-11 * i / 7);
  CHECK(read_npy<double>(folder + "npy/scalar_f8.npy").values == std::vector<double>{2.5});
  CHECK(read_npy<double>(folder + "npy/scalar_f8.npy").shape.empty());
  CHECK(read_npy<float>(folder + "npy/empty_f4.npy").shape == std::vector<index_t>{0, 3});
  CHECK(read_npy<std::int64_t>(folder + "npy/candle-test.npy").values ==
        std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("npy: what is written has NumPy's bytes") {
  const auto check = [&]<class T>(T, const char* name) {
    CAPTURE(name);
    const std::string original = folder + "npy/" + name;
    const formwork_test::scratch_file ours("x.npy", "");
    const file_array<T> array = read_npy<T>(original);
    write_npy(ours.path, std::span<const T>(array.values), array.shape);
    CHECK(formwork_test::bytes_of(ours.path) == formwork_test::bytes_of(original));
  };
  check(float{}, "f4_c.npy");
  check(double{}, "f8_c.npy");
  check(double{}, "scalar_f8.npy");
  check(float{}, "empty_f4.npy");
  check(std::uint8_t{}, "u1_c.npy");
  check(std::int64_t{}, "candle-test.npy");
}

TEST_CASE("npz: stored and deflated archives") {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    CAPTURE(name);
    const npz_reader reader(folder + "npy/" + name);
    CHECK(reader.names() == std::vector<std::string>{"w", "ids"});
    check_array(reader.array<float>("w"), seventh_as_float);
    CHECK(reader.array<std::int64_t>("ids").values.size() > 0);
  }
  const npz_reader reader(folder + "npy/candle-test.npz");
  CHECK(reader.array<std::int64_t>("x_plus_one").values ==
        std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}
