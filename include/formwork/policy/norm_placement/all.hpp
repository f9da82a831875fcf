#pragma once
// Every placement of the library, for loops over the catalogue at compile time.
#include <formwork/core/type_list.hpp>
#include <formwork/policy/norm_placement/deep_norm.hpp>
#include <formwork/policy/norm_placement/fixup.hpp>
#include <formwork/policy/norm_placement/gru_gated.hpp>
#include <formwork/policy/norm_placement/hyper_connections.hpp>
#include <formwork/policy/norm_placement/mix_norm.hpp>
#include <formwork/policy/norm_placement/sandwich_norm.hpp>
#include <formwork/policy/norm_placement/scaled_branch.hpp>
#include <formwork/policy/norm_placement/sub_norm.hpp>
#include <formwork/policy/norm_placement/two_streams.hpp>
#include <formwork/policy/norm_placement/whole_layer.hpp>

namespace formwork {

/// All of them.
using all_placements =
    type_list<post_norm, pre_norm, sandwich_norm, peri_norm, reordered_norm, keel, deep_norm, admin, sub_norm,
              norm_former, norm_former_scaled, b2t, parallel_block, residual_dual, siamese_norm,
              hyper_connections_static, hyper_connections, manifold_hyper_connections, scaled_norm,
              layer_scale, rezero, skip_init, t_fixup, fixup, gru_gated, mix_norm, hybrid_norm, hybrid_norm_star>;

}  // namespace formwork
