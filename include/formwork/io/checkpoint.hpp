#pragma once
#include <formwork/io/safetensors.hpp>
#include <formwork/io/safetensors_writer.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <zlib.h>

namespace formwork {

/// A named value beside the tensors of a checkpoint: a step, a loss, a text.
using checkpoint_scalar = std::variant<std::int64_t, double, std::string>;

/// FNV-1a hash of a text as 16 hexadecimal digits: a short name for a configuration.
/// Source: Fowler, Noll, Vo; the 64-bit parameters of the FNV hash description
inline std::string fingerprint_hash(std::string_view fingerprint) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : fingerprint) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) out[i] = "0123456789abcdef"[hash & 15];
  return out;
}

namespace detail {

inline constexpr std::string_view checkpoint_version = "1";
inline constexpr std::string_view checksum_tensor = "formwork.checksum";

inline std::string text_of_scalar(const checkpoint_scalar& value) {
  return std::visit(
      []<class T>(const T& v) {
        if constexpr (!std::is_same_v<T, double>) {
          return text(std::is_same_v<T, std::int64_t> ? "int " : "string ", v);
        } else {
          char digits[64];  // hexadecimal, so that every bit comes back
          return "double " +
                 std::string(digits, std::to_chars(digits, digits + 64, v, std::chars_format::hex).ptr);
        }
      },
      value);
}

inline bool scalar_of_text(std::string_view source, checkpoint_scalar& to) {
  const auto number = [&]<class T>(T value, auto... format) {
    const auto [end, fault] = std::from_chars(source.data(), source.data() + source.size(), value, format...);
    to = value;
    return fault == std::errc{} && end == source.data() + source.size();
  };
  const auto begins_with = [&](std::string_view kind) {
    const bool found = source.starts_with(kind);
    if (found) source.remove_prefix(kind.size());
    return found;
  };
  if (begins_with("int ")) return number(std::int64_t{});
  if (begins_with("double ")) return number(0.0, std::chars_format::hex);
  if (!begins_with("string ")) return false;
  to = std::string(source);
  return true;
}

/// "key=value" lines as a map; a line without "=" is a key without a value.
inline std::map<std::string, std::string> entries_of_fingerprint(std::string_view fingerprint) {
  std::map<std::string, std::string> out;
  while (!fingerprint.empty()) {
    const std::string_view line = fingerprint.substr(0, fingerprint.find('\n'));
    fingerprint.remove_prefix((std::min)(line.size() + 1, fingerprint.size()));
    const std::size_t sign = (std::min)(line.find('='), line.size());
    if (line.empty()) continue;
    std::string& value = out[std::string(line.substr(0, sign))];
    if (!value.empty()) value += "; ";  // a key given again, for example one for each layer
    value += line.substr((std::min)(sign + 1, line.size()));
  }
  return out;
}

}  // namespace detail

/// Collects the state of a training run and writes it as one safetensors file: tensors by reference, scalars,
/// the fingerprint of the configuration, and behind everything a CRC-32 of all bytes before it. The write is
/// atomic (see write_atomically); equal states give equal bytes.
class checkpoint_writer {
 public:
  /// `fingerprint`: the configuration as "key=value" lines; a reader refuses a file with other lines
  explicit checkpoint_writer(std::string_view fingerprint) {
    file_.set_metadata("checkpoint_version", std::string(detail::checkpoint_version));
    file_.set_metadata("fingerprint", std::string(fingerprint));
    file_.set_metadata("fingerprint_hash", fingerprint_hash(fingerprint));
  }

  /// Adds a tensor whose values live until `write`. Names must differ (checked).
  template <class T>
  void add(std::string name, std::vector<index_t> shape, std::span<const T> values) {
    file_.add(std::move(name), std::move(shape), values);
  }
  /// Adds a tensor whose bytes `f` writes later; see safetensors_writer::add_streamed.
  void add_streamed(std::string name, dtype type, std::vector<index_t> shape,
                    safetensors_writer::producer f) {
    file_.add_streamed(std::move(name), type, std::move(shape), std::move(f));
  }
  /// Sets a scalar. Integers and texts (valid UTF-8, checked) come back exactly, doubles bit for bit but for
  /// the payload of a NaN.
  void set(std::string_view name, const checkpoint_scalar& value) {
    file_.set_metadata(text("scalar.", name), detail::text_of_scalar(value));
  }

  void write(const std::string& path) const {
    safetensors_writer complete = file_;
    // bytes: the narrowest type lies last, so the checksum comes behind all that it covers
    complete.add_streamed(std::string(detail::checksum_tensor), dtype::U8, {4}, [](file_writer& out) {
      const std::uint32_t sum = out.checksum();
      unsigned char bytes[4];
      for (int i = 0; i < 4; ++i) bytes[i] = static_cast<unsigned char>(sum >> (8 * i));
      out.write(bytes, 4);
    });
    complete.write(path);
  }

 private:
  safetensors_writer file_;
};

/// Opens a checkpoint. Every byte is checked before anything is handed out: a file that was cut, damaged or
/// written by something else is an `error` that names it and the fault. Tensors are then read one by one to
/// their places.
class checkpoint_reader {
 public:
  explicit checkpoint_reader(std::string path) : file_(std::move(path)) {
    const auto version = file_.metadata().find("checkpoint_version");
    if (version == file_.metadata().end() || !file_.contains(detail::checksum_tensor)) {
      fail(this->path(), ": a safetensors file, but no checkpoint");
    }
    if (version->second != detail::checkpoint_version) {
      fail(this->path(), ": a checkpoint of version ", version->second, ", expected ",
           detail::checkpoint_version);
    }
    verify_checksum();
    for (const auto& [name, value] : file_.metadata()) {
      if (!name.starts_with("scalar.")) continue;
      if (!detail::scalar_of_text(value, scalars_[name.substr(7)])) {
        fail(this->path(), ": scalar \"", name.substr(7), "\": no value in \"", value, "\"");
      }
    }
  }

  const std::string& path() const { return file_.path(); }
  /// The tensors; the checksum is one of them.
  const safetensors_reader& tensors() const { return file_; }
  const std::map<std::string, checkpoint_scalar, std::less<>>& scalars() const { return scalars_; }

  /// A scalar as std::int64_t, double or std::string; none of this name, or another type, is an error.
  template <class T>
  const T& scalar(std::string_view name) const {
    const auto found = scalars_.find(name);
    if (found == scalars_.end()) fail(path(), ": holds no scalar \"", name, "\"");
    const T* value = std::get_if<T>(&found->second);
    if (!value) {
      fail(path(), ": scalar \"", name, "\" is \"", detail::text_of_scalar(found->second),
           "\", expected another type");
    }
    return *value;
  }

  std::string fingerprint() const {
    const auto found = file_.metadata().find("fingerprint");
    return found == file_.metadata().end() ? "" : found->second;
  }

  /// Requires: the checkpoint was written under this configuration. Otherwise `error` names the first key
  /// that differs with both values, and how many do.
  void require_fingerprint(std::string_view expected) const { compare_fingerprint(expected, true); }
  /// The same for the keys of `expected` only; the checkpoint may have more, such as those of an optimizer.
  void require_part_of_fingerprint(std::string_view expected) const { compare_fingerprint(expected, false); }

 private:
  void compare_fingerprint(std::string_view expected, bool whole) const {
    const auto theirs = detail::entries_of_fingerprint(fingerprint());
    const auto ours = detail::entries_of_fingerprint(expected);
    auto keys = ours;
    if (whole) keys.insert(theirs.begin(), theirs.end());
    index_t differing = 0;
    std::string first;
    for (const auto& entry : keys) {
      const auto here = ours.find(entry.first), there = theirs.find(entry.first);
      const std::string left = there == theirs.end() ? "not set" : there->second;
      const std::string right = here == ours.end() ? "not set" : here->second;
      if (here != ours.end() && there != theirs.end() && left == right) continue;
      if (differing++ == 0)
        first = text("\"", entry.first, "\" is ", left, " in the file and ", right, " here");
    }
    if (differing > 0) {
      fail(path(), ": written under another configuration: ", first,
           differing > 1 ? text(", and ", differing - 1, " more differ") : "");
    }
  }

  void verify_checksum() const {
    const tensor_entry& last = file_.entry(detail::checksum_tensor);
    if (last.end - last.begin != 4 || last.end != file_.file().size()) {
      fail(path(), ": the checksum is not at its place");
    }
    std::vector<unsigned char> block(std::size_t{1} << 20);
    uLong sum = crc32(0, nullptr, 0);
    for (index_t done = 0; done < last.begin;) {
      const index_t some = (std::min)(last.begin - done, index_t(block.size()));
      file_.file().read(done, block.data(), some);
      sum = crc32(sum, block.data(), uInt(some));
      done += some;
    }
    std::uint32_t stored = 0;
    file_.file().read(last.begin, block.data(), 4);
    for (int i = 3; i >= 0; --i) stored = stored << 8 | block[std::size_t(i)];
    if (stored != sum) fail(path(), ": damaged: the checksum of its bytes is ", sum, ", expected ", stored);
  }

  safetensors_reader file_;
  std::map<std::string, checkpoint_scalar, std::less<>> scalars_;
};

}  // namespace formwork
