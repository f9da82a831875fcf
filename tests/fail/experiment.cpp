// expect[1]: "experiment: a list of types is empty; name one type at least"
// expect[2]: "experiment: two types of a list have one name; give one of them another 'name'"
// expect[3]: "experiment: two types of a list have one name; give one of them another 'name'"
// expect[4]: "experiment: give the schedule a member 'double lr'"
#include <formwork/policy/norm_placement/whole_layer.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/train/experiment.hpp>

struct small : formwork::config {};
struct other_post_norm : formwork::post_norm {};
struct own_schedule {
  double rate = 1;
  double operator()(formwork::step_t) const { return rate; }
};

#if CASE == 1
using placements = formwork::placements<>;
#elif CASE == 2
using placements = formwork::placements<formwork::post_norm, other_post_norm>;
#else
using placements = formwork::placements<formwork::post_norm>;
#endif
#if CASE == 3
using models = formwork::models<small, small>;
#else
using models = formwork::models<small>;
#endif
#if CASE == 4
using schedule = own_schedule;
#else
using schedule = formwork::constant;
#endif

formwork::experiment<placements, formwork::optimizers<formwork::adam>, formwork::schedules<schedule>, models>
    study;

double first_rate() { return formwork::grid_point{}.schedule<schedule>(10)(1); }
