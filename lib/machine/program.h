// A code laid out for one tier and one number of warps a group: what contexts execute.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/code.h"
#include "lib/machine/context.h"
#include "lib/machine/trail.h"

namespace ropewalk::machine {

class Settled;

// Fast: values that are the same in all lanes are computed once, and an access that is not plainly innocent stops the
// context. Careful: every value for every lane, with a shadow, and every access judged by the checks.
enum class Tier : u8 { Fast, Careful };

struct Program {
  std::shared_ptr<const Code> code;
  Tier tier = Tier::Careful;
  u32 warps = 1;  // of a group
  std::vector<Op> ops;
  std::vector<u32> op_of_step;         // a predicated step's wrapper included
  std::vector<u32> op_of_instruction;  // where a branch to it goes: its join first
  std::vector<u32> offset;             // by value: offset in the register area
  std::vector<u16> pitch;              // by value: bytes from warp to warp; 0: the same in all lanes
  u32 register_bytes = 0;
  struct BlockIndex {
    u32 offset;
    u8 size;
    u8 dimension;
    u16 lanes;
  };
  std::vector<BlockIndex> block_indices;            // where %ctaid and %smid lie
  std::vector<std::shared_ptr<const void>> extras;  // what operations point to
  std::vector<Landmark> landmarks;                  // by basic block, where trails are noted

  // Fills the values that never change during a launch (constants, special registers but %ctaid and %smid) for the
  // group whose lane 0 is thread `first_thread`.
  void prepare(std::byte* registers, u32 first_thread, const Launch& launch) const;
  // Fills %ctaid, and %smid: the multiprocessors get the blocks in turn. number: of the block, linear.
  void enter_block(std::byte* registers, const u32 (&block)[3], u64 number, const Launch& launch) const;

  template <class Type>
  Type* lanes(std::byte* registers, u32 value, u32 warp) const {
    return reinterpret_cast<Type*>(registers + offset[value] + warp * pitch[value]);
  }
};

// The step that an operation was made of.
inline const Step& step_of(const Context& context, const Op* op) { return context.program->code->steps[op->step]; }

// What a program notes besides running.
struct Observed {
  bool branches = false;  // which way they go, and how many thread-instructions run
  bool trails = false;    // what each thread did last (Block::trails)
};

// `uniform` says by value which are the same in all lanes (all false for the careful tier's registers).
// settled: findings that the fast tier lets pass; null: none.
std::shared_ptr<const Program> make_program(std::shared_ptr<const Code> code, Tier tier, u32 warps,
                                            const std::vector<bool>& uniform, Observed observed,
                                            const Settled* settled = nullptr);

}  // namespace ropewalk::machine
