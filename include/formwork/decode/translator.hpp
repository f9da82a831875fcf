#pragma once
#include <formwork/data/special_tokens.hpp>
#include <formwork/decode/batch_budget.hpp>
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
/// the best of them scores at least as high as the best live one does at its present length, or when the
/// maximum length is reached, where every live one is ended by force and marked as truncated. (fairseq does
/// not look at the live ones: early endings that are poor can then crowd out a translation that is nearly
/// certain.)
template <class Model>
class translator {
 public:
  using scalar = typename Model::scalar;

  translator(Model& model, typename Model::backend_type& backend, const decode_options& options = {})
      : model_(model), backend_(backend), decoder_(model, backend), options_(options) {
    options.validate();
    if (model.vocabulary().target < special_tokens)
      fail("translator: the target vocabulary has ", model.vocabulary().target,
           " entries, expected at least ", special_tokens);
  }

  const decode_options& options() const { return options_; }
  /// The most tokens, without the end mark, that a source may have: by the options and the model's positions.
  index_t longest_source() const {
    const index_t wanted = options_.max_source_length ? options_.max_source_length : positions;
    return std::min(wanted, positions - index_t(options_.source_end));
  }

  /// The at most `nbest` best translations of each source, best first; fewer where the search finished fewer,
  /// as when it is cut at once, never none. A source is its tokens with the end mark, as it is in training
  /// (see decode_options::source_end); one without any other token gives one empty translation. `forced[i]`,
  /// if given, begins every translation of source i, also where it is longer than the maximum length. A model
  /// with a position table translates up to the table's length, marks included, whatever the options say.
  /// Error: one sentence that names the source, counted from 1: a token outside the vocabulary, no end mark
  ///        or one in a forced beginning, more tokens than max_source_length or positions, a model whose
  ///        result is not a number. The next call is unaffected.
  std::vector<std::vector<hypothesis>> translate(const std::vector<std::vector<token_t>>& sources,
                                                 const std::vector<std::vector<token_t>>& forced = {}) {
    if (forced.size() > sources.size())
      fail("translator: ", forced.size(), " forced beginnings for ", sources.size(), " sentences");
    std::vector<std::vector<hypothesis>> results(sources.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      check_tokens(i, sources[i], "token", model_.vocabulary().source, positions);
      if (i < forced.size()) {
        check_tokens(i, forced[i], "forced token", model_.vocabulary().target, positions - 1);
        if (std::find(forced[i].begin(), forced[i].end(), end_token) != forced[i].end())
          fail("translator: sentence ", i + 1, " has the end mark, token ", end_token,
               ", in its forced beginning");
      }
      if (content_length(sources[i]) == 0) {
        results[i] = {{}};
        continue;
      }
      const index_t most = options_.max_source_length, length = content_length(sources[i]);
      if (most > 0 && length > most)
        fail("translator: sentence ", i + 1, " has ", length, " tokens before its end, max_source_length is ",
             most);
      if (options_.source_end && sources[i].back() != end_token)
        fail("translator: sentence ", i + 1, " does not end with the end mark, token ", end_token);
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sources[a].size() > sources[b].size(); });
    for (std::size_t begin = 0; begin < order.size();) {
      batch_budget budget(options_, model_.vocabulary().target);
      std::size_t end = begin;
      while (end < order.size() && budget.take(index_t(sources[order[end]].size()),
                                               longest_translation(sources, forced, order[end]) + 1))
        ++end;
      translate_batch(sources, forced, std::span(order).subspan(begin, end - begin), results);
      begin = end;
    }
    return results;
  }

 private:
  // The begin mark takes a position too: the decoder reads one token more than it has said.
  static constexpr index_t positions = longest_sequence<typename Model::configuration::position>;

  /// A sentence while it is translated.
  struct search {
    std::size_t sentence = 0;           ///< its index among the sources
    index_t longest = 0;                ///< most tokens without the end mark
    std::vector<hypothesis> finished{};
  };

  static index_t content_length(const std::vector<token_t>& source) {
    return index_t(source.size()) - index_t(!source.empty() && source.back() == end_token);
  }

  /// The most tokens, without the end mark, of a translation of source i.
  index_t longest_translation(const std::vector<std::vector<token_t>>& sources,
                              const std::vector<std::vector<token_t>>& forced, std::size_t i) const {
    const index_t longest = std::min(options_.max_length(content_length(sources[i])), positions - 1);
    return i < forced.size() ? std::max(longest, index_t(forced[i].size())) : longest;
  }

  static void check_tokens(std::size_t sentence, const std::vector<token_t>& tokens, const char* what,
                           index_t vocabulary, index_t longest) {
    if (index_t(tokens.size()) > longest)
      fail("translator: sentence ", sentence + 1, " has ", tokens.size(), " ", what, "s, the model's ",
           positions, " positions allow ", longest);
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
      searches.push_back({.sentence = i, .longest = longest_translation(sources, forced, i)});
      longest = std::max(longest, searches.back().longest);
    }
    decoder_.begin(tokens.data(), {starts.data(), index_t(batch.size())},
                   index_t(batch.size()) * options_.beam, longest + 1);
    live_.start(batch.size());
    for (index_t position = 0; !live_.tokens.empty(); ++position) {
      const sequences live{live_.starts.data(), index_t(batch.size())};
      const matrix_view<scalar> result = decoder_.step(live_.tokens.data(), live, live_.parents.data());
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
    next_.clear();
    next_.starts.push_back(0);
    for (std::size_t b = 0; b < searches.size(); ++b) {
      const index_t begin = live_.starts[b], end = live_.starts[b + 1];
      if (end > begin) continue_sentence(searches[b], forced, position, log_p, begin, end);
      next_.starts.push_back(index_t(next_.tokens.size()));
    }
    std::swap(live_, next_);
  }

  void continue_sentence(search& s, const std::vector<std::vector<token_t>>& forced, index_t position,
                         matrix_view<const scalar> log_p, index_t begin, index_t end) {
    for (index_t r = begin; r < end; ++r)
      if (std::isnan(log_p.row(r)[0]))  // one logit that is not a number makes the whole row so
        fail("translator: sentence ", s.sentence + 1, ": the model's probabilities at position ",
             position + 1, " are not numbers");
    const std::vector<token_t>* prefix = s.sentence < forced.size() ? &forced[s.sentence] : nullptr;
    if (prefix && position < index_t(prefix->size())) {
      const token_t token = (*prefix)[std::size_t(position)];
      live_on({live_.sums[std::size_t(begin)] + double(log_p.row(begin)[token]), begin, token});
      return;
    }
    if (position >= s.longest) {
      for (index_t r = begin; r < end; ++r)
        finish(s, {live_.sums[std::size_t(r)] + double(log_p.row(r)[end_token]), r, end_token}, position + 1,
               true);
      return;
    }
    const token_t forbidden = position < options_.min_length ? end_token : token_t(-1);
    if (options_.sample) {
      const random_stream random{options_.seed, std::uint64_t(s.sentence)};
      const token_t token = draw_token(log_p.row(begin), log_p.width, options_.temperature, options_.top_k,
                                       forbidden, random.uniform(std::uint64_t(position)));
      const candidate c{live_.sums[std::size_t(begin)] + double(log_p.row(begin)[token]), begin, token};
      if (token == end_token) finish(s, c, position + 1, false);
      else live_on(c);
      return;
    }
    const std::size_t beam = std::size_t(options_.beam);
    best_candidates(log_p, live_.sums, begin, end, 2 * beam, forbidden, candidates_);
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
    next_.pasts.push_back(live_.pasts[std::size_t(c.row)]);
    next_.pasts.back().push_back(c.token);
  }

  void finish(search& s, const candidate& c, index_t length, bool truncated) {
    s.finished.push_back(
        {live_.pasts[std::size_t(c.row)], c.score, options_.normalised(c.score, length), truncated});
  }

  std::vector<hypothesis> ranked(search& s) const {
    std::stable_sort(s.finished.begin(), s.finished.end(),
                     [](const hypothesis& a, const hypothesis& b) { return a.score > b.score; });
    if (s.finished.size() > std::size_t(options_.nbest)) s.finished.resize(std::size_t(options_.nbest));
    return std::move(s.finished);
  }

  /// The live hypotheses of a step, those of a sentence together.
  struct generation {
    std::vector<index_t> starts, parents;
    std::vector<token_t> tokens;
    std::vector<double> sums;
    std::vector<std::vector<token_t>> pasts;

    /// One empty hypothesis for each sentence.
    void start(std::size_t sentences) {
      starts.resize(sentences + 1);
      std::iota(starts.begin(), starts.end(), index_t{0});
      tokens.assign(sentences, begin_token);
      parents.assign(sentences, 0);
      sums.assign(sentences, 0.0);
      pasts.assign(sentences, {});
    }
    void clear() {
      starts.clear();
      shrink(0);
    }
    void shrink(std::size_t n) {
      parents.resize(n), tokens.resize(n), sums.resize(n), pasts.resize(n);
    }
  };

  Model& model_;
  typename Model::backend_type& backend_;
  incremental_decoder<Model> decoder_;
  decode_options options_;
  std::vector<candidate> candidates_;
  generation live_, next_;
  storage<scalar> probabilities_;
};

}  // namespace formwork
