#pragma once
#include <formwork/core/error.hpp>

#include <cmath>
#include <numeric>
#include <vector>

namespace formwork {

/// Counts of (true class, predicted class), and the usual scores of a classifier from them, all in [0, 1]
/// but Matthews' coefficient in [-1, 1]. A score whose denominator is 0 is 0. Matrices of parts add up.
/// Cost: classes * classes counts
class confusion_matrix {
 public:
  /// Requires: 2 to 65536 classes (checked)
  explicit confusion_matrix(index_t classes) : classes_(classes) {
    if (classes < 2 || classes > 65536) fail("confusion matrix: ", classes, " classes, expected 2 to 65536");
    counts_.assign(static_cast<std::size_t>(classes * classes), 0);
  }

  /// Requires: both classes in [0, classes) (checked)
  void add(index_t truth, index_t predicted) {
    check(truth);
    check(predicted);
    ++counts_[static_cast<std::size_t>(truth * classes_ + predicted)];
  }

  /// Requires: the same number of classes (checked)
  confusion_matrix& operator+=(const confusion_matrix& other) {
    if (classes_ != other.classes_) {
      fail("confusion matrix: adding ", other.classes_, " classes to ", classes_, ", expected as many");
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    return *this;
  }

  index_t classes() const { return classes_; }
  index_t count(index_t truth, index_t predicted) const {
    check(truth);
    check(predicted);
    return counts_[static_cast<std::size_t>(truth * classes_ + predicted)];
  }
  index_t total() const { return std::accumulate(counts_.begin(), counts_.end(), index_t{0}); }

  /// Share of the examples that were classified correctly.
  double accuracy() const { return ratio(static_cast<double>(correct()), static_cast<double>(total())); }

  /// Harmonic mean of precision and recall of one class: 2 TP / (2 TP + FP + FN).
  double f1(index_t of_class = 1) const {
    const auto hits = static_cast<double>(count(of_class, of_class));
    return ratio(2 * hits,
                 static_cast<double>(truths(of_class)) + static_cast<double>(predictions(of_class)));
  }

  /// Mean of the F1 scores of all classes, each weighing the same.
  double macro_f1() const {
    double sum = 0;
    for (index_t c = 0; c < classes_; ++c) sum += f1(c);
    return sum / static_cast<double>(classes_);
  }

  /// Matthews' correlation coefficient; for two classes (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN +
  /// FP) (TN + FN)).
  /// Source: Matthews 1975; for more classes Gorodkin 2004, eq. 8
  double matthews() const {
    const auto all = static_cast<double>(total());
    double products = 0, truth_squares = 0, prediction_squares = 0;
    for (index_t c = 0; c < classes_; ++c) {
      const auto t = static_cast<double>(truths(c)), p = static_cast<double>(predictions(c));
      products += t * p;
      truth_squares += t * t;
      prediction_squares += p * p;
    }
    const double covariance = static_cast<double>(correct()) * all - products;
    return ratio(covariance,
                 std::sqrt(all * all - truth_squares) * std::sqrt(all * all - prediction_squares));
  }

 private:
  static double ratio(double a, double b) { return b > 0 ? a / b : 0.0; }

  void check(index_t c) const {
    if (c < 0 || c >= classes_) fail("confusion matrix: class ", c, ", expected 0 to ", classes_ - 1);
  }
  index_t correct() const {
    index_t sum = 0;
    for (index_t c = 0; c < classes_; ++c) sum += count(c, c);
    return sum;
  }
  index_t truths(index_t c) const {
    index_t sum = 0;
    for (index_t p = 0; p < classes_; ++p) sum += count(c, p);
    return sum;
  }
  index_t predictions(index_t c) const {
    index_t sum = 0;
    for (index_t t = 0; t < classes_; ++t) sum += count(t, c);
    return sum;
  }

  index_t classes_;
  std::vector<index_t> counts_;  // [classes, classes], true class first
};

/// Perplexity of a text from the sum of its tokens' negative log-likelihoods in nats: exp(nats / tokens).
/// Requires: tokens >= 1 (checked)
inline double perplexity(double nats, index_t tokens) {
  if (tokens < 1) fail("perplexity: ", tokens, " tokens, expected at least 1");
  return std::exp(nats / static_cast<double>(tokens));
}

}  // namespace formwork
