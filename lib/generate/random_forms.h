// The instructions that random programs are made of.
#pragma once
#include <span>

namespace ropewalk::generate {

// An opcode and what it takes, a letter an operand, the destination first: r q h f d p registers of 32, 64 and 16 bits,
// f32, f64 and predicates; a digit: an integer constant below 2 to its power; c and z: the clamps 31 and 0 of a
// shuffle.
struct RandomForm {
  const char* opcode;
  const char* operands;
};

// Each thread for itself.
std::span<const RandomForm> lane_forms();
// The same for those that need sm_89.
std::span<const RandomForm> small_float_forms();
// All lanes of a warp together: where none has branched off.
std::span<const RandomForm> warp_forms();

}  // namespace ropewalk::generate
