#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

#include "../support/reversal_task.hpp"

using namespace formwork;

namespace {
std::atomic<long> allocations{0};
}

// Every allocation of this executable is counted: operator new here, aligned_alloc by the linker's --wrap.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t n);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  return __real_aligned_alloc(alignment, n);
}

TEST_CASE("allocation: the counter sees what is allocated") {
  const long before = allocations;
  storage<float> block(10);
  std::vector<int> numbers(10);
  CHECK(allocations >= before + 2);
}

TEST_CASE("allocation: after the first step a training step allocates nothing, whatever batch comes") {
  parallel_corpus corpus = formwork_test::reversal_corpus(600, 1, 1, 10);
  const parallel_corpus longest = formwork_test::reversal_corpus(3, 2, 60, 60);
  for (index_t i = 0; i < longest.size(); ++i)
    corpus.add(longest.source_sentence(i), longest.target_sentence(i));
  for (const int threads : {1, 2}) {
    cpu_backend backend(threads);
    encoder_decoder<formwork_test::small_config<>> model(formwork_test::reversal_vocabulary,
                                                         xavier_uniform{});
    trainer job(backend, model, adam{}, constant{1e-3});
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
}
