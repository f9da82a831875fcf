#include <formwork/graph/plan.hpp>

#include <doctest/doctest.h>

#include <formwork/core/philox.hpp>

using namespace formwork;

namespace {

struct plan_result {
  planned_buffer buffers[40]{};
  int count = 40;
  extent total{};
};

constexpr plan_result random_plan(std::uint64_t seed) {
  plan_result p;
  const random_stream random{seed};
  for (int i = 0; i < p.count; ++i) {
    const auto draw = [&](int k, std::uint64_t bound) {
      return index_t(random.below(std::uint64_t(8 * i + k), bound));
    };
    planned_buffer& b = p.buffers[i];
    b.size = {.source = draw(0, 4) * 16, .target = draw(1, 4) * 16, .constant = draw(2, 2) * 64};
    b.first = int(draw(3, 30));
    b.last = b.first + int(draw(4, 8)) - 1;  // some are never needed
  }
  p.total = place(p.buffers, p.count);
  return p;
}

}  // namespace

TEST_CASE("plan: buffers that are needed together never overlap, whatever the token counts") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const plan_result p = random_plan(seed);
    for (const index_t s : {0, 1, 17, 5000})
      for (const index_t t : {0, 1, 300, 40000}) {
        REQUIRE(disjoint(p.buffers, p.count, s, t));
        for (const planned_buffer& b : p.buffers)
          if (b.needed()) REQUIRE((b.offset + b.size).at(s, t) <= p.total.at(s, t));
      }
  }
}

TEST_CASE("plan: memory is used again when its buffer is no longer needed") {
  planned_buffer b[3]{{.size = {.source = 16}, .first = 0, .last = 1},
                      {.size = {.source = 16}, .first = 1, .last = 2},
                      {.size = {.source = 16}, .first = 2, .last = 3}};
  CHECK(place(b, 3) == extent{.source = 32});
  CHECK(b[0].offset == b[2].offset);
  CHECK(disjoint(b, 3, 100, 100));
  b[2].first = 1;  // planted fault: now all three meet, so the old offsets must be found wrong
  CHECK_FALSE(disjoint(b, 3, 100, 100));
}

TEST_CASE("plan: is worked out by the compiler") {
  static constexpr extent total = random_plan(7).total;
  CHECK(total == random_plan(7).total);
}
