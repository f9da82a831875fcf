#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/philox.hpp>
#include <formwork/graph/graph.hpp>
#include <formwork/tensor/storage.hpp>
#include <formwork/tensor/view.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace formwork {

/// One trainable array: its name ("encoder.3.ffn.up.weight"), what it is, and where it lies.
struct parameter_entry {
  std::string name;
  parameter_info info;
  index_t offset = 0;
};

/// Where the parameters of one layer lie, for graph/program.hpp.
struct parameter_places {
  std::array<index_t, graph::max_parameters> offset{};
  std::array<index_t, graph::max_parameters> rows{};
};

/// All trainable numbers of a model and their gradients, each in one flat array of the same layout. Tied
/// arrays are stored, counted and updated once.
template <class T>
class parameter_store {
 public:
  const std::vector<parameter_entry>& entries() const { return entries_; }
  index_t size() const { return size_; }
  T* values() { return values_.data(); }
  const T* values() const { return values_.data(); }
  T* gradients() { return gradients_.data(); }
  const T* gradients() const { return gradients_.data(); }

  /// Index of the entry of this name. Error: no such name.
  std::size_t find(std::string_view name) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].name == name) return i;
    fail("parameters: the model has no parameter named '", name, "'");
  }
  matrix_view<T> value(std::size_t i) { return view(values_.data(), i); }
  matrix_view<T> gradient(std::size_t i) { return view(gradients_.data(), i); }
  matrix_view<T> value(std::string_view name) { return value(find(name)); }
  matrix_view<T> gradient(std::string_view name) { return gradient(find(name)); }

  /// Error: the model has been moved to another one and has no numbers left.
  void require_values() const {
    if (!values_.data()) fail("parameters: the model has been moved to another one");
  }

  void zero_gradients() { std::fill(gradients_.begin(), gradients_.end(), T(0)); }

  /// Adds the parameters of a layer, matrices first, then vectors, so that the matrices of products that are
  /// computed together lie behind each other. A shared one is added when it is met first.
  parameter_places declare(const graph& g, const std::string& prefix, parameter_info info,
                           index_t source_vocabulary, index_t target_vocabulary) {
    parameter_places places;
    for (const bool matrices : {true, false})
      for (int i = 0; i < g.parameter_count; ++i) {
        const parameter& p = g.parameters[i];
        if ((p.columns > 1) != matrices) continue;
        info.name = p.name;
        info.role = p.role;
        info.start = p.start;
        info.rows = p.rows == parameter::source_vocabulary   ? source_vocabulary
                    : p.rows == parameter::target_vocabulary ? target_vocabulary
                                                             : p.rows;
        info.columns = p.columns;
        places.rows[std::size_t(i)] = info.rows;
        places.offset[std::size_t(i)] =
            add(p.shared ? std::string(p.name.view()) : prefix + std::string(p.name.view()), info, p.shared);
      }
    return places;
  }

  /// Gives every parameter its initial value: `gain(info)` times `initialise(info, stream, i)` for element i,
  /// with a random stream that depends on the seed and the name only: adding a layer changes no other layer's
  /// numbers. If there is a `start`, start(info, i) replaces what the initialiser says of role::scalar.
  /// Requires: values that are finite in T (checked)
  template <class Initialiser>
  void initialise(
      const Initialiser& initialiser, std::uint64_t seed,
      double (*gain)(const parameter_info&) = [](const parameter_info&) { return 1.0; },
      double (*start)(const parameter_info&, index_t) = nullptr) {
    // Done again it writes to the same memory, whose address an optimizer keeps.
    values_.reserve(size_);
    gradients_.reserve(size_);
    zero_gradients();
    for (const parameter_entry& e : entries_) {
      const random_stream stream{.seed = seed, .stream = hash(e.name)};
      const double factor = gain(e.info);
      const bool placed = start && e.info.role == role::scalar;
      for (index_t i = 0; i < e.info.size(); ++i) {
        const double value =
            factor * (placed ? start(e.info, i) : double(initialiser(e.info, stream, std::uint64_t(i))));
        if (!(std::fabs(value) <= double(std::numeric_limits<T>::max())))
          fail("initialiser: element ", i, " of ", e.name, " starts at ", value,
               ", expected a finite number");
        values_[e.offset + i] = T(value);
      }
    }
  }

 private:
  index_t add(const std::string& name, const parameter_info& info, bool shared) {
    for (const parameter_entry& e : entries_) {
      if (e.name != name) continue;
      if (!shared) fail("parameters: two parameters are named '", name, "'");
      if (e.info.rows != info.rows || e.info.columns != info.columns)
        fail("parameters: the tied parameter '", name, "' has ", e.info.rows, " rows in one place and ",
             info.rows, " in another; tied embeddings need one vocabulary");
      return e.offset;
    }
    entries_.push_back({name, info, size_});
    size_ += info.size();
    return entries_.back().offset;
  }

  matrix_view<T> view(T* data, std::size_t i) {
    const parameter_entry& e = entries_[i];
    return {data + e.offset, e.info.rows, e.info.columns};
  }

  /// FNV-1a: the number of a name's random stream.
  static std::uint64_t hash(std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : name) h = (h ^ std::uint8_t(c)) * 0x100000001b3;
    return h;
  }

  std::vector<parameter_entry> entries_;
  index_t size_ = 0;
  storage<T> values_, gradients_;
};

/// Number of parameters that a layer adds to a model, shared ones left out (`shared` false) or only those.
constexpr index_t parameter_count(const graph& g, bool shared, index_t source_vocabulary,
                                  index_t target_vocabulary) {
  index_t n = 0;
  for (int i = 0; i < g.parameter_count; ++i) {
    const parameter& p = g.parameters[i];
    if (p.shared != shared) continue;
    const index_t rows = p.rows == parameter::source_vocabulary   ? source_vocabulary
                         : p.rows == parameter::target_vocabulary ? target_vocabulary
                                                                  : p.rows;
    n += rows * p.columns;
  }
  return n;
}

}  // namespace formwork
