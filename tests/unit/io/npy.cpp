#include <formwork/io/npy.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

namespace {

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string out = std::string("\x93NUMPY") + char(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += char(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

std::string fault_of(const std::string& bytes) {
  const formwork_test::scratch_file file("x.npy", bytes);
  const std::string message = failure_of<error>([&] { read_npy<std::uint8_t>(file.path); });
  if (message.empty()) return "";
  REQUIRE(message.starts_with(file.path + ": "));
  return message.substr(file.path.size() + 2);
}

template <class T>
void check_round_trip(const std::vector<index_t>& shape) {
  CAPTURE(sizeof(T));
  const formwork_test::scratch_file file("x.npy", "");
  std::vector<T> values(std::size_t(detail::bytes_of_shape(shape, 1)));
  std::iota(values.begin(), values.end(), T(1));
  write_npy(file.path, std::span<const T>(values), shape);
  CHECK(formwork_test::bytes_of(file.path).size() == 128 + values.size() * sizeof(T));
  const file_array<T> back = read_npy<T>(file.path);
  CHECK(back.shape == shape);
  CHECK(back.values == values);
}

}  // namespace

TEST_CASE("npy: what is written reads back") {
  for (const std::vector<index_t>& shape :
       {std::vector<index_t>{}, {1}, {7}, {2, 3}, {0, 3}, {3, 0}, {2, 1, 3, 1}}) {
    check_round_trip<float>(shape);
    check_round_trip<double>(shape);
    check_round_trip<std::int8_t>(shape);
    check_round_trip<std::uint16_t>(shape);
    check_round_trip<std::uint64_t>(shape);
  }
  const std::vector<float> two(2);
  CHECK(failure_of<error>([&] { write_npy("x", std::span<const float>(two), {3}); }) ==
        "x: 2 values, expected shape [3]");
}

TEST_CASE("npy: every version, spelling and order of the header is read") {
  const std::string data = "\1\2\3\4\5\6";
  for (const std::string header : {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }          \n",
                                   "{'shape':(2,3),'fortran_order':False,'descr':'<u1'}",
                                   "{\"shape\": (2L, 3L), \"descr\": \">u1\", "
                                   "\"fortran_order\": False}"}) {
    for (const int version : {1, 2, 3}) {
      const formwork_test::scratch_file file("x.npy", npy(header, data, version));
      const file_array<std::uint8_t> read = read_npy<std::uint8_t>(file.path);
      CHECK(read.shape == std::vector<index_t>{2, 3});
      CHECK(read.values == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
    }
  }
  const std::string spaces(100'000, ' ');
  const std::string head = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }" + spaces;
  const formwork_test::scratch_file file("x.npy", npy(head, data, 2));
  CHECK(read_npy<std::uint8_t>(file.path).values == std::vector<std::uint8_t>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("npy: faults are one sentence each") {
  const auto header = [](const std::string& dictionary) { return fault_of(npy(dictionary, "123456")); };
  const auto shape = [&](const std::string& tuple) {
    return header("{'descr': '|u1', 'fortran_order': False, 'shape': " + tuple + "}");
  };
  CHECK(fault_of("") == "this is no .npy data");
  CHECK(fault_of("a plain text of some length") == "this is no .npy data");
  CHECK(fault_of(npy("{}", "123456", 4)) == ".npy version 4 found, expected 1, 2 or 3");
  CHECK(header("{}") == "expected a header with just 'descr', 'fortran_order' and 'shape'");
  CHECK(header("{'other': 1}") == "unexpected key 'other' in the header");
  CHECK(header("{'descr': [('a', '<f4')]}") == "holds records, expected elements of one number each");
  CHECK(header("{'descr': '<c8'}").starts_with("type '<c8' found, expected b1"));
  CHECK(header("{'descr': '|O'}").starts_with("type '|O' found"));
  CHECK(header("{'fortran_order': true}") == "expected 'fortran_order' to be True or False");
  CHECK(header("{'descr'") == "expected ':' in the header before \"\"");
  CHECK(shape("(6)").empty());
  CHECK(shape("(7,)") == "6 bytes of data, expected 7 for U8 [7]");
  CHECK(shape("(5,)") == "6 bytes of data, expected 5 for U8 [5]");
  CHECK(shape("(-1,)") == "expected 'shape' to hold integers from 0 to 2^63 - 1");
  CHECK(shape("(9999999999999999999999,)") == "expected 'shape' to hold integers from 0 to 2^63 - 1");
  CHECK(shape("(9223372036854775807, 9223372036854775807)").find("more than any file has") !=
        std::string::npos);
  CHECK(shape("(900000000000, 3)") == "6 bytes of data, expected 2700000000000 for U8 [900000000000, 3]");
  CHECK(fault_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234")) ==
        "holds F32, expected U8");
}

TEST_CASE("npy: a file that is cut or has a byte changed never crashes") {
  const std::string whole =
      npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }   \n", std::string(24, '\1'));
  const auto message_for = [&](const std::string& bytes) {
    const formwork_test::scratch_file file("x.npy", bytes);
    const std::string message = failure_of<error>([&] { read_npy<std::int32_t>(file.path); });
    if (!message.empty()) CHECK(message.starts_with(file.path + ": "));
    return message;
  };
  for (std::size_t cut = 0; cut < whole.size(); ++cut) CHECK(message_for(whole.substr(0, cut)) != "");
  for (std::size_t at = 0; at < whole.size() * 8; ++at) {
    std::string changed = whole;
    changed[at / 8] = char(changed[at / 8] ^ (1 << at % 8));
    message_for(changed);
  }
}
