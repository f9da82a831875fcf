#pragma once
#include <formwork/model/cost.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

namespace detail {

/// What stands behind the last dot of a name.
inline std::string last_part(std::string_view name) { return std::string(name.substr(name.rfind('.') + 1)); }

/// Writes the nodes of a layer as nested calls; what is used more than once gets a line and a name of its
/// own.
class equation_writer {
 public:
  explicit equation_writer(const graph& g) : g_(g) {
    for (int i = 0; i < g.count; ++i) {
      if (g[i].is_input() || g.uses(i) < 2) continue;
      const std::string line = written(i);
      name_[i] = text("t", ++names_);
      out_ += text("  ", name_[i], " = ", line, "\n");
    }
    for (int s = 0; s < g.output_count; ++s)
      out_ += text("  ", g.output_count > 1 ? text("out", s + 1) : "out", " = ", value(g.outputs[s]), "\n");
  }
  std::string take() { return std::move(out_); }

 private:
  std::string value(int i) const { return name_[i].empty() ? written(i) : name_[i]; }

  /// A value as it stands in a product.
  std::string factor(int i) const {
    const std::string x = value(i);
    return x.find(" + ") == x.npos ? x : text("(", x, ")");
  }

  std::string input(int i) const {
    if (i == g_.memory) return "memory";
    for (int s = 0; s < g_.input_count; ++s)
      if (g_.inputs[s] == i) return g_.input_count > 1 ? text("x", s + 1) : "x";
    return "x";
  }

  std::string written(int i) const {
    const formwork::node& n = g_[i];
    if (n.is_input()) return input(i);
    const std::string_view op = n.op->name;
    if (op == "add") return text(value(n.in[0]), " + ", value(n.in[1]));
    if (op == "multiply") return text(factor(n.in[0]), " * ", factor(n.in[1]));
    if (op == "scale") {
      const std::string alpha = n.alpha_of_layer ? std::string("alpha(layer)") : short_number(n.alpha);
      return text(alpha, " * ", factor(n.in[0]));
    }
    if (op == "embedding")
      return text(short_number(n.alpha), " * embedding(", n.rows == axis::source ? "source" : "target",
                  " tokens)");
    std::string arguments;
    for (const short k : n.in)
      if (k >= 0) arguments += text(arguments.empty() ? "" : ", ", value(k));
    return text(n.causal ? "causal_" : "", n.name.empty() ? std::string(op) : last_part(n.name), "(",
                arguments, ")");
  }

  static std::string short_number(double x) {
    const double rounded = double(index_t(x * 1000 + (x < 0 ? -0.5 : 0.5))) / 1000;
    return text(rounded == 0 ? x : rounded);
  }

  const graph& g_;
  std::string name_[graph::max_nodes];
  int names_ = 0;
  std::string out_;
};

/// 1234567 becomes "1,234,567".
inline std::string grouped(index_t n) {
  std::string digits = text(n);
  for (index_t i = index_t(digits.size()) - 3; i > (n < 0); i -= 3) digits.insert(std::size_t(i), ",");
  return digits;
}

inline std::string padded(std::string cell, std::size_t width, bool right = false) {
  if (cell.size() < width) cell.insert(right ? 0 : cell.size(), std::string(width - cell.size(), ' '));
  return cell;
}

}  // namespace detail

/// A layer's equation as it was written, before fusion: one line for each value that is used more than once,
/// and one for each stream that leaves. Products and norms appear under the names of their parameters.
inline std::string equations_of(const graph& g) { return detail::equation_writer(g).take(); }

/// Numbers of operations between the layer's inputs and its outputs.
struct path_lengths {
  int shortest = 0;  ///< what a gradient can take past everything: pre_norm has one addition a sub-layer
  int longest = 0;   ///< what cannot be done in parallel
};

/// The shortest and the longest way from any stream or token to an output.
constexpr path_lengths paths_of(const graph& g) {
  path_lengths of[graph::max_nodes]{}, out{};
  for (int i = 0; i < g.count; ++i) {
    if (g[i].is_input()) continue;
    bool first = true;
    for (const short k : g[i].in) {
      if (k < 0 || k == g.memory) continue;
      of[i].longest = std::max(of[i].longest, of[k].longest);
      of[i].shortest = first ? of[k].shortest : std::min(of[i].shortest, of[k].shortest);
      first = false;
    }
    of[i].longest += 1;
    of[i].shortest += 1;
  }
  for (int s = 0; s < g.output_count; ++s) {
    out.longest = std::max(out.longest, of[g.outputs[s]].longest);
    out.shortest = s ? std::min(out.shortest, of[g.outputs[s]].shortest) : of[g.outputs[s]].shortest;
  }
  return out;
}

/// The name of a parameter's role.
constexpr std::string_view name_of(role r) {
  constexpr std::string_view names[] = {"query",     "key",         "value",        "output", "cross_query",
                                        "cross_key", "cross_value", "cross_output", "up",     "down",
                                        "embedding", "position",    "head",         "bias",   "norm_gain",
                                        "norm_bias", "scalar"};
  return names[int(r)];
}

/// Names, shapes, roles and weight decay of all parameters; equal ones of different layers share a line.
template <class T>
std::string parameter_table(const parameter_store<T>& store) {
  struct row {
    std::string name, shape;
    role kind;
    index_t copies, size;
  };
  std::vector<row> rows;
  for (const parameter_entry& e : store.entries()) {
    std::string name = e.name;
    if (e.info.stack != stack_kind::none)
      if (const std::string number = text(".", e.info.layer, "."); name.find(number) != name.npos)
        name.replace(name.find(number), number.size(), ".*.");
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.name == name; });
    const std::string shape =
        e.info.columns > 1 ? text(e.info.rows, " x ", e.info.columns) : std::string(text(e.info.rows));
    if (same == rows.end())
      rows.push_back({name, shape, e.info.role, 1, e.info.size()});
    else
      ++same->copies;
  }
  using detail::padded;
  std::string out =
      "  copies  name                                   shape          role          decay      numbers\n";
  for (const row& r : rows)
    out += text("  ", padded(text(r.copies), 6, true), "  ", padded(r.name, 38), " ", padded(r.shape, 14),
                " ", padded(std::string(name_of(r.kind)), 13), " ", is_matrix(r.kind) ? "yes" : "no ",
                padded(detail::grouped(r.copies * r.size), 13, true), "\n");
  return out + text("  ", padded("", 82), padded(detail::grouped(store.size()), 11, true), " in all\n");
}

/// What a summary assumes about the data.
struct summary_options {
  double source_length = 20, target_length = 20;       ///< of an average sentence, for the operations
  index_t source_tokens = 4096, target_tokens = 4096;  ///< of a batch, for the memory
  int moments = 2;                                     ///< of the optimizer
};

/// A model on a few pages of text: equations, parameters, operations, memory, paths. For people, not for
/// programs.
template <class Model>
std::string summary_of(const Model& model, const summary_options& options = {}) {
  using C = typename Model::configuration;
  using cost = model_cost<Model>;
  std::string out =
      text("encoder-decoder, placement ", label(C::placement::name), ", d_model ", C::size.d_model, ", d_ff ",
           C::size.d_ff, ", heads ", C::size.heads, ", layers ", C::size.encoder_layers, " + ",
           C::size.decoder_layers, ", ", sizeof(typename Model::scalar) == 4 ? "fp32" : "fp64", "\n");
  const auto layer = [&](std::string_view title, const graph& written, const graph& fused) {
    const path_lengths p = paths_of(written);
    out += text("\n", title, " (", written.count, " nodes, ", fused.count,
                " after fusion; ways through it: shortest ", p.shortest, " operations, longest ", p.longest,
                ")\n", equations_of(written));
  };
  using encoder = typename Model::encoder_tower;
  using decoder = typename Model::decoder_tower;
  using lower = detail::lower_section<C>;
  using upper = detail::upper_section<C>;
  layer("source embedding", embedding_layer<C, axis::source>::graph, encoder::embedding::graph);
  layer(text("encoder layer, ", encoder::split, " times"), encoder_layer<lower>::graph,
        encoder::lower_layer::graph);
  if (encoder::split < encoder::depth)
    layer(text("upper encoder layer, ", encoder::depth - encoder::split, " times"),
          encoder_layer<upper>::graph, encoder::upper_layer::graph);
  layer("encoder end", final_layer<C, axis::source>::graph, encoder::end::graph);
  layer(text("decoder layer, ", decoder::split, " times"), decoder_layer<lower>::graph,
        decoder::lower_layer::graph);
  if (decoder::split < decoder::depth)
    layer(text("upper decoder layer, ", decoder::depth - decoder::split, " times"),
          decoder_layer<upper>::graph, decoder::upper_layer::graph);
  layer("decoder end", final_layer<C, axis::target>::graph, decoder::end::graph);
  out += text("\nparameters\n", parameter_table(model.parameters()));
  const index_t vocabulary = model.vocabulary().target;
  const auto millions = [](double x) { return detail::grouped(index_t(x / 1e6 + 0.5)); };
  out += text("\noperations for each target token, sentences of ", options.source_length, " and ",
              options.target_length, " tokens\n  translating (teacher forcing)  ",
              millions(cost::forward_flops(options.source_length, options.target_length, vocabulary)),
              " million\n  training                       ",
              millions(cost::training_flops(options.source_length, options.target_length, vocabulary)),
              " million\n");
  const index_t activations = cost::activation_bytes(options.source_tokens, options.target_tokens);
  const index_t stored = cost::parameter_bytes(model.vocabulary(), options.moments);
  out += text("\nmemory of a training step with ", options.source_tokens, " and ", options.target_tokens,
              " tokens\n  activations                    ", millions(double(activations)),
              " MB\n  parameters, gradients, moments ", millions(double(stored)), " MB\n");
  return out;
}

}  // namespace formwork
