#pragma once
#include <formwork/io/npy.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace formwork {

/// Reads the arrays of an .npz file, which is a zip archive of .npy files, stored or deflated.
/// Damage is an `error` naming file and array; each array's CRC-32 is checked. Not read: encrypted archives
/// and ones of several volumes, and arrays of 4 GiB or more.
class npz_reader {
 public:
  explicit npz_reader(std::string path) : file_(std::move(path)) { read_directory(); }

  /// Names of the arrays without ".npy", in the order of the archive's directory.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const member& each : members_) out.push_back(each.name);
    return out;
  }

  /// One array; T and the order of the values as for read_npy.
  template <class T>
  file_array<T> array(std::string_view name) const {
    for (const member& each : members_) {
      if (each.name != name) continue;
      const std::string where = text(file_.path(), ": array \"", name, "\"");
      const std::vector<unsigned char> bytes = unpack(each, where);
      const auto read = [&](index_t offset, void* to, index_t count) {
        if (count > 0) std::memcpy(to, bytes.data() + offset, std::size_t(count));
      };
      return detail::read_npy_data<T>(read, index_t(bytes.size()), where);
    }
    fail(file_.path(), ": holds no array \"", name, "\"; it holds ", members_.size(), " others");
  }

 private:
  struct member {
    std::string name;
    index_t method, crc, packed, size, local;
  };

  static index_t number(const unsigned char* at, int bytes) {
    index_t out = 0;
    for (int i = bytes; i-- > 0;) out = out << 8 | at[i];
    return out;
  }

  [[noreturn]] void fail_damaged(std::string_view what) const {
    fail(file_.path(), ": damaged .npz file: ", what);
  }

  void read_directory() {
    const index_t tail = (std::min)(file_.size(), index_t{65535 + 22});
    std::vector<unsigned char> bytes(static_cast<std::size_t>(tail));
    file_.read(file_.size() - tail, bytes.data(), tail);
    index_t end = tail - 22;
    while (end >= 0 && number(&bytes[std::size_t(end)], 4) != 0x06054b50) --end;
    if (end < 0) fail_damaged("its directory at the end is missing");
    const index_t count = number(&bytes[std::size_t(end + 10)], 2),
                  size = number(&bytes[std::size_t(end + 12)], 4),
                  start = number(&bytes[std::size_t(end + 16)], 4);
    if (start + size > file_.size()) fail_damaged("its directory lies outside");
    bytes.resize(std::size_t(size));
    file_.read(start, bytes.data(), size);
    for (index_t i = 0, at = 0; i < count; ++i) {
      const unsigned char* entry = bytes.data() + at;
      if (at + 46 > size || number(entry, 4) != 0x02014b50) fail_damaged("its directory ends too early");
      const index_t length = number(entry + 28, 2);
      at += 46 + length + number(entry + 30, 2) + number(entry + 32, 2);
      if (at > size) fail_damaged("its directory ends too early");
      std::string name(reinterpret_cast<const char*>(entry) + 46, std::size_t(length));
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
      members_.push_back({name, number(entry + 10, 2), number(entry + 16, 4), number(entry + 20, 4),
                          number(entry + 24, 4), number(entry + 42, 4)});
    }
  }

  std::vector<unsigned char> unpack(const member& item, std::string_view where) const {
    unsigned char head[30];
    if (item.local + 30 > file_.size()) fail(where, ": lies outside the file");
    file_.read(item.local, head, 30);
    const index_t begin = item.local + 30 + number(head + 26, 2) + number(head + 28, 2);
    if (number(head, 4) != 0x04034b50 || begin + item.packed > file_.size())
      fail(where, ": lies outside the file");
    if (item.method != 0 && item.method != 8)
      fail(where, ": packed with method ", item.method, ", expected 0 or 8");
    // deflate shrinks at most 1032 times: a directory that promises more must not make us ask for the memory
    if (item.method == 0 ? item.size != item.packed : item.size / 1032 > item.packed) {
      fail(where, ": ", item.size, " bytes cannot come from ", item.packed);
    }
    std::vector<unsigned char> packed(static_cast<std::size_t>(item.packed));
    file_.read(begin, packed.data(), item.packed);
    std::vector<unsigned char> out = item.method == 0 ? packed : inflated(packed, item.size, where);
    if (index_t(crc32(0, out.data(), uInt(out.size()))) != item.crc)
      fail(where, ": its checksum does not fit");
    return out;
  }

  static std::vector<unsigned char> inflated(std::vector<unsigned char>& packed, index_t size,
                                             std::string_view where) {
    std::vector<unsigned char> out(static_cast<std::size_t>(size));
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(where, ": no memory left for unpacking");
    stream.next_in = packed.data();
    stream.avail_in = uInt(packed.size());
    stream.next_out = out.data();
    stream.avail_out = uInt(out.size());
    const int state = inflate(&stream, Z_FINISH);
    const bool whole = state == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole) fail(where, ": the packed data is damaged");
    return out;
  }

  readable_file file_;
  std::vector<member> members_;
};

}  // namespace formwork
