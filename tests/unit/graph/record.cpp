#include <formwork/graph/record.hpp>

#include <doctest/doctest.h>

#include <formwork/graph/graph.hpp>

using namespace formwork;

namespace {

struct plain_op {
  static constexpr label name = "plain";
};
struct full_op {
  static constexpr label name = "full";
  static constexpr bool view = true, gates = true;
  static constexpr backward_reads reads(const node& n) {
    return {.inputs = unsigned(n.heads), .output = true};
  }
  static constexpr unsigned passes(const node&) { return 0b10; }
  static constexpr unsigned mixes_rows(const node&) { return 0b1; }
  static constexpr index_t saved_width(const node& n) { return 2 * n.width; }
  static constexpr row_cost cost(const graph&, const node& n) { return {double(n.width), 3}; }
};

constexpr node n{.width = 7, .heads = 5};

}  // namespace

TEST_CASE("record: an op that says nothing reads, passes, mixes, saves and costs nothing") {
  static constexpr const op_record& r = record_of<plain_op>;
  static_assert(r.name == label("plain") && !r.view && !r.element && !r.gates);
  static_assert(r.reads(n).inputs == 0 && !r.reads(n).output && r.passes(n) == 0 &&
                r.mixes_rows(n) == 0 && r.saved_width(n) == 0);
  static_assert(r.cost(graph{}, n).flops == 0 && r.cost(graph{}, n).flops_per_key == 0);
  CHECK(&r != &record_of<full_op>);  // the address is the identity
}

TEST_CASE("record: what an op says comes out of its record") {
  static constexpr const op_record& r = record_of<full_op>;
  static_assert(r.view && r.element && r.gates && r.passes(n) == 0b10 && r.mixes_rows(n) == 0b1 &&
                r.saved_width(n) == 14);
  static_assert(r.reads(n).inputs == 5 && r.reads(n).output);
  CHECK(r.cost(graph{}, n).flops == 7);
  CHECK(r.cost(graph{}, n).flops_per_key == 3);
}
