#pragma once
#include <formwork/data/special_tokens.hpp>
#include <formwork/decode/candidates.hpp>
#include <formwork/decode/hypothesis.hpp>
#include <formwork/decode/options.hpp>
#include <formwork/model/incremental_decoder.hpp>

#include <numeric>
#include <span>

namespace formwork {

/// Translates with a trained model: beam search, greedy search or sampling with cached keys and values. A
/// sentence's result does not depend on what else is translated with it: any batch size gives the same tokens
/// and scores.
///
/// Beam search: of the 2 x beam best continuations those that end and are among the first `beam` finish a
/// hypothesis, the best `beam` others live on. A sentence is done when `beam` hypotheses have finished and
/// the best of them scores at least as high as the best live one would if it ended now, or when the maximum
/// length is reached, where every live one is ended by force. (fairseq does not look at the live ones: early
/// endings that are poor can then crowd out a translation that is nearly certain.)
template <class Model>
class translator {
 public:
  using scalar = typename Model::scalar;

  translator(Model& model, typename Model::backend_type& backend, const decode_options& options = {})
      : model_(model), backend_(backend), decoder_(model, backend), options_(options) {
    options.validate();
  }

  /// The `nbest` best translations of each source, best first. A source is its tokens with the end mark, as
  /// it is in training; one without any token but the end mark gives one empty translation. `forced[i]`, if
  /// given, begins every translation of source i, also where it is longer than the maximum length.
  /// Error: a token outside the vocabulary, naming sentence and token.
  std::vector<std::vector<hypothesis>> translate(const std::vector<std::vector<token_t>>& sources,
                                                 const std::vector<std::vector<token_t>>& forced = {}) {
    std::vector<std::vector<hypothesis>> results(sources.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      check_tokens(i, sources[i], "token", model_.vocabulary().source);
      if (i < forced.size()) check_tokens(i, forced[i], "forced token", model_.vocabulary().target);
      if (content_length(sources[i]) == 0) results[i] = {{}};
      else order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sources[a].size() > sources[b].size(); });
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      index_t tokens = 0;
      while (end < order.size() &&
             (end == begin || tokens + index_t(sources[order[end]].size()) <= options_.batch_tokens))
        tokens += index_t(sources[order[end++]].size());
      translate_batch(sources, forced, std::span(order).subspan(begin, end - begin), results);
      begin = end;
    }
    return results;
  }

 private:
  /// A sentence while it is translated.
  struct search {
    std::size_t sentence = 0;           ///< its index among the sources
    index_t longest = 0;                ///< most tokens without the end mark
    std::vector<hypothesis> finished{};
    bool done = false;
  };

  static index_t content_length(const std::vector<token_t>& source) {
    return index_t(source.size()) - index_t(!source.empty() && source.back() == end_token);
  }

  static void check_tokens(std::size_t sentence, const std::vector<token_t>& tokens, const char* what,
                           index_t vocabulary) {
    for (const token_t t : tokens)
      if (t < 0 || t >= vocabulary)
        fail("translator: sentence ", sentence + 1, " has ", what, " ", t, ", the vocabulary has ",
             vocabulary, " entries");
  }

  void translate_batch(const std::vector<std::vector<token_t>>& sources,
                       const std::vector<std::vector<token_t>>& forced, std::span<const std::size_t> batch,
                       std::vector<std::vector<hypothesis>>& results) {
    std::vector<token_t> tokens;
    std::vector<index_t> starts{0};
    std::vector<search> searches;
    index_t longest = 0;
    for (const std::size_t i : batch) {
      tokens.insert(tokens.end(), sources[i].begin(), sources[i].end());
      starts.push_back(index_t(tokens.size()));
      searches.push_back({.sentence = i, .longest = options_.max_length(content_length(sources[i]))});
      if (i < forced.size())
        searches.back().longest = std::max(searches.back().longest, index_t(forced[i].size()));
      longest = std::max(longest, searches.back().longest);
    }
    decoder_.begin(tokens.data(), {starts.data(), index_t(batch.size())},
                   index_t(batch.size()) * options_.beam, longest + 1);
    live_starts_.resize(batch.size() + 1);
    std::iota(live_starts_.begin(), live_starts_.end(), index_t{0});
    newest_.assign(batch.size(), begin_token);
    parents_.assign(batch.size(), 0);
    sums_.assign(batch.size(), 0.0);
    live_.assign(batch.size(), {});
    for (index_t position = 0; live_starts_.back() > 0; ++position) {
      const sequences live{live_starts_.data(), index_t(batch.size())};
      const matrix_view<scalar> result = decoder_.step(newest_.data(), live, parents_.data());
      probabilities_.reserve(result.rows * model_.vocabulary().target);
      const matrix_view<scalar> log_p(probabilities_.data(), result.rows, model_.vocabulary().target);
      decoder_.project(result, log_p);
      advance(searches, forced, position, log_p);
    }
    for (search& s : searches) results[s.sentence] = ranked(s);
  }

  /// Chooses how every live hypothesis goes on.
  void advance(std::vector<search>& searches, const std::vector<std::vector<token_t>>& forced,
               index_t position, matrix_view<const scalar> log_p) {
    next_ = {};
    next_.starts.push_back(0);
    for (std::size_t b = 0; b < searches.size(); ++b) {
      const index_t begin = live_starts_[b], end = live_starts_[b + 1];
      if (end > begin) continue_sentence(searches[b], forced, position, log_p, begin, end);
      next_.starts.push_back(index_t(next_.tokens.size()));
    }
    live_starts_ = next_.starts;
    newest_ = next_.tokens;
    parents_ = next_.parents;
    sums_ = next_.sums;
    live_ = std::move(next_.pasts);
  }

  void continue_sentence(search& s, const std::vector<std::vector<token_t>>& forced, index_t position,
                         matrix_view<const scalar> log_p, index_t begin, index_t end) {
    const std::vector<token_t>* prefix = s.sentence < forced.size() ? &forced[s.sentence] : nullptr;
    if (prefix && position < index_t(prefix->size())) {
      const token_t token = (*prefix)[std::size_t(position)];
      live_on({sums_[std::size_t(begin)] + double(log_p.row(begin)[token]), begin, token});
      return;
    }
    if (position >= s.longest) {
      for (index_t r = begin; r < end; ++r)
        finish(s, {sums_[std::size_t(r)] + double(log_p.row(r)[end_token]), r, end_token}, position + 1,
               true);
      return;
    }
    const token_t forbidden = position < options_.min_length ? end_token : token_t(-1);
    if (options_.sample) {
      const random_stream random{options_.seed, std::uint64_t(s.sentence)};
      const token_t token = draw_token(log_p.row(begin), log_p.width, options_.temperature, options_.top_k,
                                       forbidden, random.uniform(std::uint64_t(position)));
      const candidate c{sums_[std::size_t(begin)] + double(log_p.row(begin)[token]), begin, token};
      if (token == end_token) finish(s, c, position + 1, false);
      else live_on(c);
      return;
    }
    const std::size_t beam = std::size_t(options_.beam);
    best_candidates(log_p, sums_, begin, end, 2 * beam, forbidden, candidates_);
    if (candidates_.empty())
      fail("translator: sentence ", s.sentence + 1, ": the model gives no finite probability at position ",
           position + 1);
    const std::size_t first = next_.tokens.size();
    for (std::size_t i = 0; i < candidates_.size() && next_.tokens.size() - first < beam; ++i) {
      const candidate& c = candidates_[i];
      if (c.token != end_token) live_on(c);
      else if (i < beam) finish(s, c, position + 1, false);
    }
    if (s.finished.size() >= beam && !live_leads(s, first, position + 1)) next_.shrink(first);
  }

  /// True if the best live hypothesis, the one at `first`, scores higher than every finished one.
  bool live_leads(const search& s, std::size_t first, index_t length) const {
    if (next_.tokens.size() == first) return false;
    const double live = options_.normalised(next_.sums[first], length);
    return std::all_of(s.finished.begin(), s.finished.end(),
                       [&](const hypothesis& h) { return h.score < live; });
  }

  void live_on(const candidate& c) {
    next_.tokens.push_back(c.token);
    next_.parents.push_back(c.row);
    next_.sums.push_back(c.score);
    next_.pasts.push_back(live_[std::size_t(c.row)]);
    next_.pasts.back().push_back(c.token);
  }

  void finish(search& s, const candidate& c, index_t length, bool truncated) {
    s.finished.push_back(
        {live_[std::size_t(c.row)], c.score, options_.normalised(c.score, length), truncated});
  }

  std::vector<hypothesis> ranked(search& s) const {
    std::stable_sort(s.finished.begin(), s.finished.end(),
                     [](const hypothesis& a, const hypothesis& b) { return a.score > b.score; });
    if (s.finished.size() > std::size_t(options_.nbest)) s.finished.resize(std::size_t(options_.nbest));
    return std::move(s.finished);
  }

  /// The live hypotheses of the next step.
  struct generation {
    std::vector<index_t> starts, parents;
    std::vector<token_t> tokens;
    std::vector<double> sums;
    std::vector<std::vector<token_t>> pasts;

    void shrink(std::size_t n) {
      parents.resize(n), tokens.resize(n), sums.resize(n), pasts.resize(n);
    }
  };

  Model& model_;
  typename Model::backend_type& backend_;
  incremental_decoder<Model> decoder_;
  decode_options options_;
  std::vector<index_t> live_starts_, parents_;
  std::vector<token_t> newest_;
  std::vector<double> sums_;
  std::vector<std::vector<token_t>> live_;
  std::vector<candidate> candidates_;
  generation next_;
  storage<scalar> probabilities_;
};

}  // namespace formwork
