#pragma once
#include <formwork/io/dtype.hpp>
#include <formwork/io/json.hpp>
#include <formwork/io/posix_file.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace formwork {

/// A tensor of a safetensors file as its header describes it. Offsets count from the start of the file.
struct tensor_entry {
  std::string name;
  dtype type = dtype::F32;
  std::vector<index_t> shape;
  index_t begin = 0;
  index_t end = 0;

  index_t count() const { return (end - begin) / bytes_of(type); }
};

/// Reads safetensors files: the header at once, each tensor when asked for, straight to its place.
/// Checks all that the format demands: length and JSON of the header, types, shapes, and that the tensors
/// cover the rest of the file without overlap, hole or rest.
/// Every fault is an `error` naming the file, the tensor and the expectation.
/// Source:   the safetensors format description (huggingface/safetensors, README)
class safetensors_reader {
 public:
  explicit safetensors_reader(std::string path) : file_(std::move(path)) { read_header(); }

  const std::string& path() const { return file_.path(); }
  const readable_file& file() const { return file_; }
  /// All tensors in the order of their data.
  const std::vector<tensor_entry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const tensor_entry& entry : entries_) out.push_back(entry.name);
    return out;
  }
  bool contains(std::string_view name) const { return places_.find(name) != places_.end(); }
  /// The tensor of this name; none is an error.
  const tensor_entry& entry(std::string_view name) const {
    const auto place = places_.find(name);
    if (place == places_.end()) {
      fail(path(), ": holds no tensor \"", name, "\"; it holds ", entries_.size(), " others");
    }
    return entries_[place->second];
  }

  /// Reads a tensor into memory of the caller, so that loading needs no second copy.
  /// T: float or double for F16, BF16, F32 and F64; otherwise exactly the stored type (BOOL: std::uint8_t)
  /// Requires: T fits the stored type and `to` has as many elements as the tensor (checked)
  template <class T>
  void read_into(std::string_view name, std::span<T> to) const {
    const tensor_entry& found = entry(name);
    if (!detail::readable_as<T>(found.type)) {
      fail(path(), ": tensor \"", name, "\" holds ", name_of(found.type), ", expected ",
           name_of(dtype_of<T>()));
    }
    if (index_t(to.size()) != found.count()) {
      fail(path(), ": tensor \"", name, "\" has ", found.count(), " elements (shape ",
           detail::text_of_shape(found.shape), "), expected ", to.size());
    }
    const auto read = [this](index_t offset, void* place, index_t bytes) {
      file_.read(offset, place, bytes);
    };
    detail::read_elements(read, found.begin, found.type, false, found.count(), to.data());
  }

  /// Shape and values of a tensor; types as for read_into.
  template <class T>
  file_array<T> tensor(std::string_view name) const {
    const tensor_entry& found = entry(name);
    file_array<T> out{found.shape, std::vector<T>(std::size_t(found.count()))};
    read_into(name, std::span<T>(out.values));
    return out;
  }

  /// The bytes of a tensor as stored.
  std::vector<std::byte> bytes(std::string_view name) const {
    const tensor_entry& found = entry(name);
    std::vector<std::byte> out(std::size_t(found.end - found.begin));
    file_.read(found.begin, out.data(), found.end - found.begin);
    return out;
  }

 private:
  static constexpr index_t longest_header = 100'000'000;  // the format's limit

  void read_header() {
    if (file_.size() < 8)
      fail(path(), ": has ", file_.size(), " bytes, expected a safetensors file of at least 8");
    unsigned char digits[8];
    file_.read(0, digits, 8);
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | digits[i];
    if (length > std::uint64_t(longest_header)) {
      fail(path(), ": header of ", length, " bytes, expected at most ", longest_header,
           "; this is no safetensors file or it is damaged");
    }
    if (index_t(length) > file_.size() - 8) {
      fail(path(), ": header of ", length, " bytes, but only ", file_.size() - 8,
           " follow; the file ends too early");
    }
    std::string header(length, '\0');
    file_.read(8, header.data(), index_t(length));
    const std::string where = path() + ": header";
    json_reader json(header, path() + ": header");
    if (json.next() != '{') fail(path(), ": header: expected a JSON object");
    json.object([&](const std::string& name) {
      if (name == "__metadata__") {
        read_metadata(json);
      } else {
        entries_.push_back(read_entry(name, json));
      }
    });
    json.end();
    place_entries(8 + index_t(length));
  }

  void read_metadata(json_reader& json) {
    if (json.next() == 'n') return void(json.skip());
    if (json.next() != '{') fail(path(), ": header: expected \"__metadata__\" to be an object");
    json.object([&](const std::string& name) {
      if (json.next() != '"') fail(path(), ": header: expected the metadata \"", name, "\" to be a string");
      metadata_[name] = json.string();
    });
  }

  tensor_entry read_entry(const std::string& name, json_reader& json) const {
    const std::string where = path() + ": header: tensor \"" + name + "\"";
    const auto integers = [&](const std::string& key) {
      if (json.next() != '[') fail(where, ": expected \"", key, "\" to be an array");
      std::vector<index_t> out;
      json.array([&] {
        const std::string_view value = json.skip();
        const char* const last = value.data() + value.size();
        const auto [end, fault] = std::from_chars(value.data(), last, out.emplace_back());
        if (fault != std::errc{} || end != last || value[0] == '-') {
          fail(where, ": ", value, " found, expected an integer from 0 to 2^63 - 1");
        }
      });
      return out;
    };
    tensor_entry out;
    out.name = name;
    std::vector<index_t> offsets;
    bool has_type = false, has_shape = false, has_offsets = false;
    if (json.next() == '{') {
      json.object([&](const std::string& key) {
        if (key == "dtype")
          out.type = dtype_of_value(where, json), has_type = true;
        else if (key == "shape")
          out.shape = integers(key), has_shape = true;
        else if (key == "data_offsets")
          offsets = integers(key), has_offsets = true;
        else
          json.skip();
      });
    }
    const char* const missing = !has_type      ? "dtype"
                                : !has_shape   ? "shape"
                                : !has_offsets ? "data_offsets"
                                               : nullptr;
    if (missing) fail(where, ": expected the member \"", missing, "\"");
    if (offsets.size() != 2) fail(where, ": expected \"data_offsets\" to be an array of two");
    out.begin = offsets[0];
    out.end = offsets[1];
    return out;
  }

  static dtype dtype_of_value(std::string_view where, json_reader& json) {
    if (json.next() != '"') fail(where, ": unknown dtype ", json.skip());
    const std::string found = json.string();
    for (const dtype known : all_dtypes) {
      if (found == name_of(known)) return known;
    }
    fail(where, ": unknown dtype \"", found, "\"");
  }

  // Sorts by offset and checks that the tensors cover the data exactly,
  // each with the bytes that its shape needs.
  void place_entries(index_t start) {
    std::sort(entries_.begin(), entries_.end(), [](const tensor_entry& a, const tensor_entry& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end < b.end : a.name < b.name;
    });
    const index_t available = file_.size() - start;
    index_t expected = 0;
    for (tensor_entry& entry : entries_) {
      const std::string where = path() + ": tensor \"" + entry.name + "\"";
      if (entry.begin != expected || entry.end < entry.begin) {
        fail(where, ": its data lies from ", entry.begin, " to ", entry.end, ", expected to begin at ",
             expected, ", where the tensor before ends");
      }
      const index_t bytes = detail::bytes_of_shape(entry.shape, bytes_of(entry.type));
      const std::string shape = detail::text_of_shape(entry.shape);
      if (bytes < 0) fail(where, ": shape ", shape, " overflows 63 bits");
      if (bytes != entry.end - entry.begin) {
        fail(where, ": ", entry.end - entry.begin, " bytes of data, expected ", bytes, " for ",
             name_of(entry.type), " ", shape);
      }
      if (entry.end > available) {
        fail(where, ": needs ", entry.end, " bytes of data, but the file has ", available,
             "; it ends too early");
      }
      expected = entry.end;
      entry.begin += start;
      entry.end += start;
      places_[entry.name] = std::size_t(&entry - entries_.data());
    }
    if (expected != available) {
      fail(path(), ": ", available - expected, " bytes behind the last tensor belong to none");
    }
  }

  readable_file file_;
  std::vector<tensor_entry> entries_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace formwork
