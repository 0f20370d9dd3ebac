// Parts that the launches of all rotary kernels are put together from.
#pragma once
#include <string>

#include "kernels/launch_parts.h"
#include "lib/launch/launch.h"
#include "lib/problem/problem.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {

// The rotary problem in a problem of any kind. Throws InputError where it is of another kind; `family` is for the
// message.
const RotaryProblem& rotary_of(const Problem& problem, const std::string& family);

// "rotary_apply" + layout and dtypes: "rotary_apply_half_bf16_f32".
std::string rotary_entry(const std::string& prefix, const RotaryProblem& problem);

// The tile of a block that rotates rows of general shapes: lanes run over pairs, rows over tokens, 128 threads at most.
Dim3 rotary_block(i64 pairs, i64 tokens);
// Blocks along y that share the heads of a token tile: as many as give work to a whole device, without leaving cos and
// sin to be read again for each head where there are blocks enough.
u32 head_tiles(i64 blocks, i64 heads_at_a_time, i64 heads);

// Adds cos and sin of the problem, as a healthy cache of its width holds them.
void add_tables(Launch& launch, const RotaryProblem& problem, u32* cosine, u32* sine);

// A tensor of rows x heads x D of the problem with the gaps of its strides. `rows`: B x T or what cu_seqlens go over.
LaunchTensor row_tensor(const RotaryProblem& problem, const std::string& name, i64 heads, i64 row_gap, i64 token_gap,
                        Init init);
// Marks `tensor` as output. `partly`: the kernel writes the rotated columns alone, and the rest is left as it is.
void mark_output(LaunchTensor& tensor, const RotaryProblem& problem, bool partly);

}  // namespace ropewalk::kernels
