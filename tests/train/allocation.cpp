#include <formwork/train/average.hpp>
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adafactor.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/muon.hpp>
#include <formwork/policy/optimizer/prodigy.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/shampoo.hpp>
#include <formwork/policy/optimizer/soap.hpp>
#include <formwork/policy/optimizer/sophia.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

#include "../support/peak_memory.hpp"
#include "../support/reversal_task.hpp"
#include "../support/scratch_folder.hpp"

using namespace formwork;

namespace {

std::atomic<long> allocations{0};
std::atomic<long> bytes_in_use{0};

struct three_tables : formwork_test::small_config<> {
  static constexpr tying ties = tying::none;
};
using model_type = encoder_decoder<three_tables>;

/// Trains with everything on that keeps memory: average, evaluations, checkpoints. `look` is called where an
/// evaluation is reported.
void run(index_t vocabulary, const training_options& options, auto look) {
  const parallel_corpus corpus = formwork_test::reversal_corpus(40, 1, 1, 10),
                        valid = formwork_test::reversal_corpus(20, 2, 1, 12);
  cpu_backend backend(1);
  model_type model({vocabulary, vocabulary}, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-3});
  batch_source source(corpus, {.max_tokens = 32, .pool = 0});
  job.run(source, valid, options, [&](const evaluation_report&) { look(); });
}

}  // namespace

// Every allocation of this executable is counted: operator new here, aligned_alloc and free by the linker's
// --wrap.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  void* p = std::malloc(n);
  if (!p) throw std::bad_alloc();
  bytes_in_use += long(malloc_usable_size(p));
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t n);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  void* p = __real_aligned_alloc(alignment, n);
  bytes_in_use += long(malloc_usable_size(p));
  return p;
}
extern "C" void __real_free(void* p);
extern "C" void __wrap_free(void* p) {
  bytes_in_use -= long(malloc_usable_size(p));
  __real_free(p);
}

TEST_CASE("allocation: the counter sees what is allocated") {
  const long before = allocations;
  storage<float> block(10);
  std::vector<int> numbers(10);
  CHECK(allocations >= before + 2);
}

/// Updates until the epoch ends, each of which must allocate nothing.
template <class O>
void updates_allocate_nothing(const O& policy, int threads) {
  parallel_corpus corpus = formwork_test::reversal_corpus(600, 1, 1, 10);
  const parallel_corpus longest = formwork_test::reversal_corpus(3, 2, 60, 60);
  for (index_t i = 0; i < longest.size(); ++i)
    corpus.add(longest.source_sentence(i), longest.target_sentence(i));
  cpu_backend backend(threads);
  model_type model(formwork_test::reversal_vocabulary, xavier_uniform{});
  trainer job(backend, model, policy, constant{1e-3});
  batch_source source(corpus, {.max_tokens = 128, .pool = 1});
  const training_options options{
      .steps = 1, .accumulate = 2, .clip_norm = 1, .dropout = {0.1, 0.1, 0.1, 0.1}};
  job.update(source, options);
  while (source.position().batch + 2 < source.batches_in_epoch()) {  // planning the next epoch may allocate
    const long before = allocations;
    const update_report report = job.update(source, options);
    const long during = allocations - before;
    CAPTURE(report.step);
    REQUIRE(during == 0);
  }
  CHECK(job.counters().step > 10);
}

TEST_CASE("allocation: after the first step a training step allocates nothing, whatever batch comes") {
  for (const int threads : {1, 2}) updates_allocate_nothing(adam{}, threads);
}

TEST_CASE("allocation: memory does not grow from epoch to epoch") {
  const auto train = [](index_t epochs, auto look) {
    const formwork_test::scratch_folder folder;
    run(20, {.epochs = epochs, .ema_decay = 0.9, .folder = folder.path(), .keep = 2}, look);
  };
  std::vector<long> in_use;
  in_use.reserve(20);
  train(20, [&] { in_use.push_back(bytes_in_use); });
  REQUIRE(in_use.size() == 20);
  // The list of checkpoints grows by eight bytes each.
  for (std::size_t i = 4; i < in_use.size(); ++i) CHECK(in_use[i] < in_use[3] + 512);
  const auto peak = [&](index_t epochs) {
    return formwork_test::peak_memory_of([&] { train(epochs, [] {}); });
  };
  const index_t short_run = peak(3);
  CHECK(short_run > 0);
  CHECK(peak(20) == short_run);
}

TEST_CASE("allocation: a run needs its state once, no more when it is resumed, and little more to end") {
  const formwork_test::scratch_folder folder;
  const index_t vocabulary = 40000;  // the state is much larger than everything else
  const auto peak = [&](step_t steps) {
    return formwork_test::peak_memory_of([&] {
      run(vocabulary, {.steps = steps, .evaluate_every = 1, .ema_decay = 0.9, .folder = folder.path()},
          [] {});
    });
  };
  const index_t mebibyte = 1 << 20, fresh = peak(1), resumed = peak(2),
                values = model_type::parameter_count({vocabulary, vocabulary}) * index_t(sizeof(float));
  // Parameters, gradients, two moments and an average, each on a boundary of huge pages, and logits.
  CHECK(fresh > 5 * values);
  CHECK(fresh < 5 * (values + 4 * mebibyte) + 16 * mebibyte);
  CHECK(resumed > fresh - mebibyte);
  CHECK(resumed < fresh + mebibyte);
  model_type model({vocabulary, vocabulary}, xavier_uniform{});
  const index_t mean = formwork_test::peak_memory_of([&] {
    average_checkpoints(model, folder.path(), std::vector<step_t>{1, 2}, "ema.");
  });
  CHECK(mean > 0);
  CHECK(mean < values + 4 * mebibyte);  // a table is a third of the model: 4 bytes a number, 8 for its sum
}

TEST_CASE("allocation: nor do optimizers with sums, views, sampled labels, or of whole matrices") {
  updates_allocate_nothing(prodigy{}, 1);
  updates_allocate_nothing(schedule_free_adamw{}, 1);
  updates_allocate_nothing(sophia_g{.every = 3}, 1);
  updates_allocate_nothing(adafactor{}, 2);
  updates_allocate_nothing(muon{}, 2);
  updates_allocate_nothing(shampoo{.every = 3}, 2);
  updates_allocate_nothing(soap{.every = 3}, 2);
}
