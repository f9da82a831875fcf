#pragma once
#include <formwork/kernels/cpu/position.hpp>
#include <formwork/graph/call.hpp>

namespace formwork {

/// y = x + table[position in the sequence]; the table is a constant of the model (pass_state::positions).
/// Gradient: dx = dy
struct fixed_position_op {
  static constexpr label name = "fixed_position";
  static constexpr unsigned passes(const node&) { return 0b1; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::add_positions(c.backend, c.in[0], c.position_rows(), c.pass.positions, c.first_position(), c.out);
  }
  template <class Call>
  static void backward(const Call&) {}
};

/// The same with a trainable table [longest sequence, D].
/// Gradient: dx = dy, row p of dtable += the sum of dy over the tokens at position p
struct learned_position_op {
  static constexpr label name = "learned_position";
  static constexpr unsigned passes(const node&) { return 0b1; }

  template <class Call>
  static void forward(const Call& c) {
    cpu::add_positions(c.backend, c.in[0], c.position_rows(),
                       matrix_view<const typename Call::scalar>(c.parameter[0], c.parameter_rows, c.n.width),
                       c.first_position(), c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::scatter_positions(c.backend, c.d_out, c.pass.of(c.n.rows),
                           matrix_view<typename Call::scalar>(c.d_parameter[0], c.parameter_rows, c.n.width));
  }
};

namespace ops {

/// Adds the model's constant position code.
constexpr expr fixed_position(expr x) {
  return push(*x.g, {.op = &record_of<fixed_position_op>, .in = {x.id, -1, -1, -1}, .width = x.width(),
                     .rows = x.rows()});
}

/// Adds a trainable position code for sequences of at most `longest` tokens.
constexpr expr learned_position(expr x, index_t longest, label table) {
  const short p =
      declare(*x.g, {.name = table, .role = role::position, .rows = longest, .columns = x.width()});
  return push(*x.g, {.op = &record_of<learned_position_op>, .in = {x.id, -1, -1, -1}, .width = x.width(),
                     .rows = x.rows(), .parameter = {p, -1}, .name = table});
}

}  // namespace ops

}  // namespace formwork
