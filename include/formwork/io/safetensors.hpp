#pragma once
#include <formwork/io/dtype.hpp>
#include <formwork/io/json.hpp>
#include <formwork/io/posix_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
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
    const json root = parse_json(header, where);
    if (!root.is_object()) fail(where, ": expected a JSON object");
    for (const auto& [name, value] : root.items()) {
      if (name == "__metadata__") {
        read_metadata(value);
      } else {
        entries_.push_back(parse_entry(name, value));
      }
    }
    place_entries(8 + index_t(length));
  }

  void read_metadata(const json& value) {
    if (value.is_null()) return;
    if (!value.is_object()) fail(path(), ": header: expected \"__metadata__\" to be an object");
    for (const auto& [name, item] : value.items()) {
      if (!item.is_string()) fail(path(), ": header: expected the metadata \"", name, "\" to be a string");
      metadata_[name] = item.get<std::string>();
    }
  }

  tensor_entry parse_entry(const std::string& name, const json& value) const {
    const std::string where = path() + ": header: tensor \"" + name + "\"";
    const auto member = [&](const char* key) -> const json& {
      if (!value.is_object() || !value.contains(key)) fail(where, ": expected the member \"", key, "\"");
      return value[key];
    };
    const auto integer = [&](const json& number) {
      if (number.is_number_unsigned() && number.get<std::uint64_t>() <= std::uint64_t(INT64_MAX)) {
        return number.get<index_t>();
      }
      fail(where, ": ", number.dump(), " found, expected an integer from 0 to 2^63 - 1");
    };
    tensor_entry out;
    out.name = name;
    const json &type = member("dtype"), &shape = member("shape"), &offsets = member("data_offsets");
    const auto known = std::find_if(all_dtypes.begin(), all_dtypes.end(),
                                    [&](dtype t) { return type.is_string() && type == name_of(t); });
    if (known == all_dtypes.end()) fail(where, ": unknown dtype ", type.dump());
    out.type = *known;
    if (!shape.is_array()) fail(where, ": expected \"shape\" to be an array");
    for (const json& extent : shape) out.shape.push_back(integer(extent));
    if (!offsets.is_array() || offsets.size() != 2) {
      fail(where, ": expected \"data_offsets\" to be an array of two");
    }
    out.begin = integer(offsets[0]);
    out.end = integer(offsets[1]);
    return out;
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
