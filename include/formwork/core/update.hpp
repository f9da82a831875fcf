#pragma once
#include <formwork/core/role.hpp>

namespace formwork {

/// What an optimizer may know about one update of one parameter, besides its numbers.
struct update_info {
  step_t step = 1;             ///< number of the update, counted from 1 (bias corrections need it)
  double lr = 0;               ///< learning rate of this update
  bool decays = false;         ///< weight decay applies to this parameter
  parameter_info parameter{};  ///< its role, rows and columns, and the layer it belongs to
};

}  // namespace formwork
