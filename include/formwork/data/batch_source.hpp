#pragma once
#include <formwork/data/batch.hpp>
#include <formwork/data/batch_plan.hpp>

#include <algorithm>
#include <cstdint>

namespace formwork {

/// A place in the endless row of training batches. Both count from 0.
struct data_position {
  index_t epoch = 0;
  index_t batch = 0;  ///< within the epoch

  bool operator==(const data_position&) const = default;
};

/// Upper bounds that hold for every batch of every epoch,
/// so that all memory can be planned before the first one.
struct batch_limits {
  index_t source_tokens = 0;  ///< of a batch, end marks included
  index_t target_tokens = 0;
  index_t sentences = 0;
  index_t source_length = 0;  ///< of a sentence, end mark included
  index_t target_length = 0;
};

/// The limits of batches of at most max_tokens that are made of this corpus, in whatever order.
inline batch_limits limits_of(const parallel_corpus& corpus, index_t max_tokens) {
  const sequences source = corpus.source_sequences(), target = corpus.target_sequences();
  batch_limits l{.source_tokens = (std::min)(max_tokens, source.rows() + source.count),
                 .target_tokens = (std::min)(max_tokens, target.rows() + target.count)};
  l.sentences = (std::min)({source.count, l.source_tokens, l.target_tokens});
  for (index_t i = 0; i < source.count; ++i) {
    l.source_length = (std::max)(l.source_length, source.length(i) + 1);
    l.target_length = (std::max)(l.target_length, target.length(i) + 1);
  }
  return l;
}

/// Gives the batches of a training corpus one after the other, epoch after epoch, without end. What it gives
/// at a position is a pure function of the corpus, the options and the position; so a resumed run seeks there
/// directly, at the cost of planning one epoch.
/// There is no loading thread: a batch of 4,096 tokens takes less than a tenth of a millisecond to make.
/// Requires: a corpus that outlives it, is not empty, is not changed meanwhile and has no pair longer than
///           max_tokens (all but the first checked)
/// Cost:     memory of one batch and 24 bytes a pair; `next` allocates nothing except where an epoch begins
class batch_source {
 public:
  explicit batch_source(const parallel_corpus& corpus, const batching_options& options = {})
      : corpus_(&corpus), options_(options) {
    options.validate();
    if (corpus.size() == 0) fail("batching: the corpus is empty");
    corpus.validate();
    plan();
    limits_ = limits_of(corpus, options.max_tokens);
    batch_.reserve(limits_.source_tokens, limits_.target_tokens, limits_.sentences);
  }
  explicit batch_source(const parallel_corpus&& corpus, const batching_options& options = {}) = delete;

  /// The batch at `position()`, valid until the next call; moves on by one.
  const batch& next() {
    require_same_corpus();
    if (position_.batch == plan_.batches()) seek({position_.epoch + 1, 0});
    batch_.fill(*corpus_, plan_.batch(position_.batch++));
    return batch_;
  }

  /// Where the batch stands that `next` will give.
  /// After the last batch of an epoch that is the next epoch's first.
  data_position position() const {
    return position_.batch == plan_.batches() ? data_position{position_.epoch + 1, 0} : position_;
  }

  /// Continues from a stored position. Takes the same time wherever that is.
  /// Requires: a position that exists with this corpus and these options (checked)
  void seek(data_position position) {
    if (position.epoch < 0) fail("batching: there is no epoch ", position.epoch);
    if (position.epoch != position_.epoch) {
      position_ = {position.epoch, 0};
      plan();
    }
    if (position.batch < 0 || position.batch >= plan_.batches()) {
      fail("batching: there is no batch ", position.batch, " in epoch ", position.epoch, ", which has ",
           plan_.batches(), "; the corpus, seed, pool or max_tokens differ from those of the stored run");
    }
    position_ = position;
  }

  /// Number of batches of the epoch that the last batch came from (the first one before any). Other epochs
  /// may have a few more or fewer, unless the pool is the whole corpus.
  index_t batches_in_epoch() const { return plan_.batches(); }

  const batch_limits& limits() const { return limits_; }
  const batching_options& options() const { return options_; }
  const parallel_corpus& corpus() const { return *corpus_; }

  /// A number that changes when the ids, the lengths or the options change. Stored beside a position, it
  /// tells a resumed run whether that position still means the same.
  /// Cost:     one pass over the corpus
  std::uint64_t fingerprint() const {
    row_hash hash;
    for (const std::uint64_t value : {std::uint64_t(options_.max_tokens), options_.seed,
                                      std::uint64_t(options_.pool), corpus_->fingerprint()})
      hash.add(value);
    return hash.value;
  }

 private:
  index_t tokens() const { return index_t(corpus_->source.size() + corpus_->target.size()); }
  void require_same_corpus() const {
    if (corpus_->size() != pairs_ || tokens() != tokens_)
      fail("batching: the corpus has been changed or moved since its batches were planned");
  }
  void plan() {
    require_same_corpus();
    plan_epoch(corpus_->source_sequences(), corpus_->target_sequences(), options_, position_.epoch, plan_);
  }

  const parallel_corpus* corpus_;
  index_t pairs_ = corpus_->size(), tokens_ = tokens();  // of the corpus as it was at first
  batching_options options_;
  data_position position_;
  batch_plan plan_;
  batch_limits limits_;
  batch batch_;
};

}  // namespace formwork
