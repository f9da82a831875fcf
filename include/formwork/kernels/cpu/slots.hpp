#pragma once

namespace formwork::cpu {

/// Which scratch slot of `cpu_backend` belongs to whom.
enum scratch_slot : int {
  slot_gemm_pack,     // packed operands of gemm (shared and per member)
  slot_gemm_split,    // partial sums of a split reduction
  slot_attention,     // score blocks
  slot_reduction,     // partial sums of column reductions (norm gain, bias, loss)
  slot_embedding,     // token order of the scatter-add
  slot_logits,        // one chunk of logits
  slot_linear,        // masked gradient of a linear op's epilogue or of a gate
  slot_columns,       // parameters spread over columns, and sums of columns
  slot_user,          // free for ops outside the library
};

}  // namespace formwork::cpu
