#include <formwork/kernels/cpu/gemm_plan.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

constexpr index_t sizes[] = {1, 2, 31, 33, 128, 129, 141, 330, 512, 1000, 4096, 10000, 50257};

template <class F>
void for_each_shape(F&& f) {
  for (const index_t m : sizes)
    for (const index_t n : sizes)
      for (const index_t k : sizes)
        for (const bool may_split : {false, true}) f(m, n, k, may_split);
}

}  // namespace

TEST_CASE("plan_gemm: blocks cover all columns, start at multiples of 32 and are wide enough") {
  index_t bad = 0;
  for_each_shape([&](index_t m, index_t n, index_t k, bool may_split) {
    for (const int threads : {1, 2, 16}) {
      const auto p = cpu::plan_gemm<float>(m, n, k, may_split, threads);
      bad += p.column(0) != 0 || p.column(p.blocks) != n || p.row(0) != 0 || p.row(p.chunks) != m;
      for (index_t i = 0; i < p.blocks; ++i) {
        const index_t width = p.column(i + 1) - p.column(i);
        bad += p.column(i) % 32 != 0 || width < (std::min)(n, index_t(128));
        bad += width > cpu::gemm_sizes<float>::unit * cpu::gemm_sizes<float>::units;
      }
      for (index_t i = 0; i < p.chunks; ++i) {
        const index_t rows = p.row(i + 1) - p.row(i);
        bad += rows < 1 || rows > cpu::gemm_sizes<float>::tiles * cpu::gemm_sizes<float>::rows;
      }
    }
  });
  CHECK(bad == 0);
}

TEST_CASE("plan_gemm: the order of additions depends on k only, or on the shape if it may split") {
  index_t bad = 0;
  for_each_shape([&](index_t m, index_t n, index_t k, bool may_split) {
    const auto p = cpu::plan_gemm<float>(m, n, k, may_split, 1),
               same = cpu::plan_gemm<float>(m, n, k, may_split, 7);
    bad += p.depth != same.depth || p.segment != same.segment || p.split != same.split;
    if (!may_split) bad += p.split || p.depth != cpu::plan_gemm<float>(1, 1, k, false, 1).depth;
    bad += p.segment % p.depth != 0 || p.segments * p.segment < k || (p.segments - 1) * p.segment >= k;
    bad += p.depth > cpu::gemm_sizes<float>::depth;
  });
  CHECK(bad == 0);
}

TEST_CASE("plan_gemm: a long reduction into a small result runs side by side, packed memory is bounded") {
  CHECK(cpu::plan_gemm<float>(128, 128, 4096, true, 1).segments >= 8);
  CHECK_FALSE(cpu::plan_gemm<float>(4096, 4096, 4096, true, 1).split);
  const auto p = cpu::plan_gemm<float>(512, 50257, 4096, false, 2);
  CHECK(p.blocks_at_once * p.segments_at_once * p.segment * 512 * 4 <= 8 << 20);
  index_t bad = 0;
  for_each_shape([&](index_t m, index_t n, index_t k, bool may_split) {
    const auto q = cpu::plan_gemm<float>(m, n, k, may_split, 2);
    const index_t width = (n + 31) / 32 / q.blocks * 32 + 32;
    bad += q.shared && q.blocks_at_once * q.segments_at_once * q.segment * width * 4 > 10 << 20;
    bad += q.split && q.segments > 16;
  });
  CHECK(bad == 0);
}
