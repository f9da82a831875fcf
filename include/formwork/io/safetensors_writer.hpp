#pragma once
#include <formwork/io/atomic_file.hpp>
#include <formwork/io/dtype.hpp>
#include <formwork/io/json_text.hpp>
#include <formwork/io/write_elements.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace formwork {

/// Collects tensors by reference and writes them as a safetensors file, streaming, through write_atomically.
/// Equal calls give equal bytes on every machine: little-endian; wide types first, so that all data is
/// aligned; in the order of the calls otherwise.
/// A tied tensor added under two names is written twice: add it once.
class safetensors_writer {
 public:
  /// Writes exactly the bytes of a tensor, little-endian, when its turn comes.
  using producer = std::function<void(file_writer&)>;

  /// Adds or replaces an entry of the file's metadata.
  void set_metadata(std::string key, std::string value) {
    require_utf8(key);
    require_utf8(value);
    metadata_[std::move(key)] = std::move(value);
  }

  /// Adds a tensor whose values live until `write`.
  /// Requires: a name not used before, valid UTF-8; as many values as the shape says (both checked)
  template <class T>
  void add(std::string name, std::vector<index_t> shape, std::span<const T> values) {
    if (detail::bytes_of_shape(shape, sizeof(T)) != index_t(values.size_bytes())) {
      fail("safetensors: tensor \"", name, "\" has ", values.size(), " values, expected shape ",
           detail::text_of_shape(shape));
    }
    add_streamed(std::move(name), dtype_of<T>(), std::move(shape),
                 [values](file_writer& out) { detail::write_elements(out, values); });
  }

  /// Adds a tensor whose bytes `f` writes later: values that lie elsewhere or have no C++ type, like BF16.
  /// Requires: `f` writes as many bytes as type and shape say (checked in `write`)
  void add_streamed(std::string name, dtype type, std::vector<index_t> shape, producer f) {
    require_utf8(name);
    if (name == "__metadata__") fail("safetensors: no tensor can have the name __metadata__");
    if (!names_.insert(name).second) fail("safetensors: tensor \"", name, "\" was added twice");
    const index_t bytes = detail::bytes_of_shape(shape, bytes_of(type));
    if (bytes < 0) {
      fail("safetensors: tensor \"", name, "\": no file can have shape ", detail::text_of_shape(shape));
    }
    items_.push_back({std::move(name), type, std::move(shape), bytes, std::move(f)});
  }

  /// Writes the file; the old one stays if anything fails. May be called again.
  void write(const std::string& path) const {
    std::vector<const item*> order;
    for (const item& each : items_) order.push_back(&each);
    std::stable_sort(order.begin(), order.end(),
                     [](const item* a, const item* b) { return bytes_of(a->type) > bytes_of(b->type); });
    const std::string head = header(order, path);
    write_atomically(path, [&](file_writer& out) {
      out.write(head.data(), head.size());
      for (const item* each : order) {
        const index_t before = out.bytes();
        each->write(out);
        if (out.bytes() - before != each->bytes) {
          fail(path, ": tensor \"", each->name, "\": ", out.bytes() - before,
               " bytes were written, expected ", each->bytes);
        }
      }
    });
  }

 private:
  struct item {
    std::string name;
    dtype type;
    std::vector<index_t> shape;
    index_t bytes;
    producer write;
  };

  static void require_utf8(std::string_view value) {
    if (first_invalid_utf8(value) >= 0) fail("safetensors: \"", value, "\" is not valid UTF-8");
  }

  std::string header(const std::vector<const item*>& order, const std::string& path) const {
    std::string out = "{\"__metadata__\":{";
    for (const auto& [key, value] : metadata_) {
      if (out.back() != '{') out += ',';
      append_json_string(out, key);
      out += ':';
      append_json_string(out, value);
    }
    out += '}';
    index_t offset = 0;
    for (const item* each : order) {
      out += ',';
      append_json_string(out, each->name);
      out += text(":{\"dtype\":\"", name_of(each->type), "\",\"shape\":[");
      for (std::size_t i = 0; i < each->shape.size(); ++i) out += text(i ? "," : "", each->shape[i]);
      out += text("],\"data_offsets\":[", offset, ",", offset + each->bytes, "]}");
      offset += each->bytes;
    }
    out += '}';
    out.append((8 - out.size() % 8) % 8, ' ');
    if (out.size() > 100'000'000)
      fail(path, ": a header of ", out.size(), " bytes exceeds the format's limit");
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) length[i] = char(out.size() >> (8 * i) & 0xff);
    return length + out;
  }

  std::vector<item> items_;
  std::set<std::string> names_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace formwork
