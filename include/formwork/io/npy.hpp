#pragma once
#include <formwork/io/atomic_file.hpp>
#include <formwork/io/dtype.hpp>
#include <formwork/io/posix_file.hpp>
#include <formwork/io/write_elements.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace formwork {

namespace detail {

struct npy_header {
  dtype type = dtype::F32;
  bool big_endian = false;
  bool fortran = false;
  std::vector<index_t> shape;
  index_t data = 0;  // where the elements begin
  index_t count = 0;
};

/// Reads the Python dictionary in the header of an .npy file: three keys in any order.
class npy_dictionary {
 public:
  npy_dictionary(std::string_view source, std::string_view where) : rest_(source), where_(where) {}

  npy_header parse() {
    npy_header out;
    unsigned seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      const unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (bit == 0 || (seen & bit)) fail(where_, ": unexpected key '", key, "' in the header");
      seen |= bit;
      if (bit == 1) read_type(out);
      if (bit == 2) out.fortran = truth();
      if (bit == 4) out.shape = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || seen != 7) {
      fail(where_, ": expected a header with just 'descr', 'fortran_order' and 'shape'");
    }
    return out;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }
  void expect(char token) {
    if (!accept(token))
      fail(where_, ": expected '", token, "' in the header before \"", rest_.substr(0, 20), "\"");
  }
  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail(where_, ": a string in the header has no end");
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return out;
  }
  bool truth() {
    if (accept("True")) return true;
    if (!accept("False")) fail(where_, ": expected 'fortran_order' to be True or False");
    return false;
  }
  std::vector<index_t> tuple() {
    std::vector<index_t> out;
    expect('(');
    while (!accept(')')) {
      skip_space();
      index_t extent = 0;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (fault != std::errc{} || extent < 0)
        fail(where_, ": expected 'shape' to hold integers from 0 to 2^63 - 1");
      rest_.remove_prefix(std::size_t(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers so
      out.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }
  void read_type(npy_header& out) {
    skip_space();
    if (rest_.starts_with('[')) fail(where_, ": holds records, expected elements of one number each");
    const std::string_view name = string();
    constexpr std::pair<std::string_view, dtype> known[] = {
        {"b1", dtype::BOOL}, {"u1", dtype::U8},  {"i1", dtype::I8},  {"i2", dtype::I16},
        {"u2", dtype::U16},  {"f2", dtype::F16}, {"i4", dtype::I32}, {"u4", dtype::U32},
        {"f4", dtype::F32},  {"f8", dtype::F64}, {"i8", dtype::I64}, {"u8", dtype::U64}};
    const auto found = std::find_if(std::begin(known), std::end(known), [&](const auto& each) {
      return name.size() == 3 && name.substr(1) == each.first;
    });
    if (found == std::end(known) || std::string_view("<>|=").find(name[0]) == std::string_view::npos) {
      fail(where_, ": type '", name,
           "' found, expected b1, i1 to i8, u1 to u8, f2, f4 or f8 with < > | or =");
    }
    out.type = found->second;
    out.big_endian = name[0] == '>' || (name[0] == '=' && std::endian::native == std::endian::big);
  }

  std::string_view rest_;
  std::string_view where_;
};

/// Reads the header of `size` bytes of .npy data and checks that the elements it promises are there.
template <class Read>
npy_header read_npy_header(Read&& read, index_t size, std::string_view where) {
  unsigned char start[12] = {};
  read(0, static_cast<void*>(start), (std::min)(size, index_t{12}));
  if (size < 12 || std::memcmp(start, "\x93NUMPY", 6) != 0) fail(where, ": this is no .npy data");
  const int version = start[6];
  if (version < 1 || version > 3) fail(where, ": .npy version ", version, " found, expected 1, 2 or 3");
  const index_t begin = version == 1 ? 10 : 12;
  index_t length = start[8] | index_t(start[9]) << 8;
  if (version > 1) length |= index_t(start[10]) << 16 | index_t(start[11]) << 24;
  if (length > size - begin) {
    fail(where, ": header of ", length, " bytes, but only ", size - begin,
         " follow; the data ends too early");
  }
  std::string source(std::size_t(length), '\0');
  read(begin, static_cast<void*>(source.data()), length);
  npy_header out = npy_dictionary(source, where).parse();
  out.data = begin + length;
  const index_t bytes = bytes_of_shape(out.shape, bytes_of(out.type)), available = size - out.data;
  if (bytes != available) {
    fail(where, ": ", available, " bytes of data, expected ",
         bytes < 0 ? std::string("more than any file has") : text(bytes), " for ", name_of(out.type), " ",
         text_of_shape(out.shape));
  }
  out.count = bytes / bytes_of(out.type);
  return out;
}

/// Brings values stored with the first dimension running first into row-major order.
template <class T>
std::vector<T> row_major(const std::vector<T>& stored, const std::vector<index_t>& shape) {
  std::vector<T> out(stored.size());
  std::vector<index_t> stride(shape.size()), at(shape.size());
  index_t step = 1, place = 0;
  for (std::size_t d = 0; d < shape.size(); step *= shape[d++]) stride[d] = step;
  for (T& value : out) {
    value = stored[std::size_t(place)];
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += stride[d];
      if (++at[d] < shape[d]) break;
      place -= at[d] * stride[d];
      at[d] = 0;
    }
  }
  return out;
}

/// Reads .npy data of `size` bytes through `read(offset, to, bytes)`.
template <class T, class Read>
file_array<T> read_npy_data(Read&& read, index_t size, std::string_view where) {
  npy_header head = read_npy_header(read, size, where);
  if (!readable_as<T>(head.type)) {
    fail(where, ": holds ", name_of(head.type), ", expected ", name_of(dtype_of<T>()));
  }
  file_array<T> out{std::move(head.shape), std::vector<T>(std::size_t(head.count))};
  read_elements(read, head.data, head.type, head.big_endian, head.count, out.values.data());
  if (head.fortran && out.shape.size() > 1) out.values = row_major(out.values, out.shape);
  return out;
}

}  // namespace detail

/// Reads an .npy file of version 1, 2 or 3, either byte order, C or Fortran order; the values come row-major.
/// T: float or double for f2, f4 and f8; otherwise exactly the stored type (truth values: std::uint8_t).
/// Requires: data that fills the file exactly (checked before memory is asked for; `error` names the file)
/// Source:   the NumPy format description, NEP 1
template <class T>
file_array<T> read_npy(const std::string& path) {
  const readable_file file(path);
  const auto read = [&](index_t offset, void* to, index_t bytes) { file.read(offset, to, bytes); };
  return detail::read_npy_data<T>(read, file.size(), path);
}

/// Writes an .npy file of version 1.0, row-major, little-endian, through write_atomically.
/// Requires: as many values as the shape says (checked)
template <class T>
void write_npy(const std::string& path, std::span<const T> values, const std::vector<index_t>& shape) {
  if (detail::bytes_of_shape(shape, sizeof(T)) != index_t(values.size_bytes())) {
    fail(path, ": ", values.size(), " values, expected shape ", detail::text_of_shape(shape));
  }
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  std::string head = text("{'descr': '", sizeof(T) == 1 ? '|' : '<', kind, sizeof(T),
                          "', 'fortran_order': False, ", "'shape': (");
  for (std::size_t d = 0; d < shape.size(); ++d) head += text(d ? ", " : "", shape[d]);
  head += shape.size() == 1 ? ",), }" : "), }";
  head.append(63 - (head.size() + 10) % 64, ' ');
  head += '\n';
  if (head.size() > 65535)
    fail(path, ": ", shape.size(), " dimensions are more than an .npy header can hold");
  const char start[] = {
      '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(head.size() & 255), char(head.size() >> 8)};
  write_atomically(path, [&](file_writer& out) {
    out.write(start, sizeof start);
    out.write(head.data(), head.size());
    detail::write_elements(out, values);
  });
}

}  // namespace formwork
