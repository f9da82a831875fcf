#pragma once
#include <formwork/data/special_tokens.hpp>
#include <formwork/model/encoder_decoder.hpp>

#include <utility>
#include <vector>

namespace formwork_test {

using sentence = std::vector<formwork::token_t>;

/// Sentences packed as a model wants them. A source is taken as it is, a target gets its begin and end marks.
class ragged_batch {
 public:
  explicit ragged_batch(const std::vector<std::pair<sentence, sentence>>& pairs) {
    for (const auto& [from, to] : pairs) {
      source.insert(source.end(), from.begin(), from.end());
      target_in.push_back(formwork::begin_token);
      target_in.insert(target_in.end(), to.begin(), to.end());
      target_out.insert(target_out.end(), to.begin(), to.end());
      target_out.push_back(formwork::end_token);
      source_start.push_back(formwork::index_t(source.size()));
      target_start.push_back(formwork::index_t(target_out.size()));
    }
  }
  formwork::sequence_pairs pairs() const {
    const auto count = formwork::index_t(source_start.size()) - 1;
    return {source.data(),
            target_in.data(),
            target_out.data(),
            {source_start.data(), count},
            {target_start.data(), count}};
  }
  formwork::index_t target_rows() const { return formwork::index_t(target_out.size()); }

  sentence source, target_in, target_out;
  std::vector<formwork::index_t> source_start{0}, target_start{0};
};

/// Log-probabilities of every symbol at every target position, row by row.
template <class Model>
std::vector<typename Model::scalar> log_probabilities(Model& model, typename Model::backend_type& backend,
                                                      const ragged_batch& batch) {
  const formwork::index_t vocabulary = model.vocabulary().target;
  std::vector<typename Model::scalar> out(std::size_t(batch.target_rows() * vocabulary));
  model.log_probabilities(backend, batch.pairs(), {out.data(), batch.target_rows(), vocabulary});
  return out;
}

}  // namespace formwork_test
