// Where NaN and infinity come from. Asked for in a second run of a launch, when an output that should be finite is not.
#pragma once
#include <array>

#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// Where and by whom a NaN or an infinity was made.
struct Origin {
  u32 step = 0;
  u64 block = 0;  // linear
  u32 thread = 0;
};
// In one word that is not 0 (0: no origin), for blocks up to 2^30 and steps up to 2^24.
u64 pack_origin(const Origin& origin);
Origin unpack_origin(u64 packed);

// What the results of a step will be made of, by output, warp and lane: looked at before the step, for it may overwrite
// its operands.
struct OriginNotes {
  struct Result {
    u64 carried = 0, carried_nan = 0;  // origins of an operand, and of one that is NaN
    bool operand_nan = false, operand_nonfinite = false;
  };
  std::vector<Result> results;
};
OriginNotes before_float(const Context& context, const Step& step);
// For each active lane whose result is NaN or infinite the origin is that of an operand with the same trouble, or this
// step itself, where the operands were numbers (for NaN: none of them NaN; for infinity: all finite). A NaN made of an
// infinity that was itself made of numbers has that one's origin: it came first.
void after_float(Context& context, const Op* op, const OriginNotes& notes);
// After a load or store of a float: the origin travels with the value.
void note_loaded_origin(Context& context, const AccessEvent& event, const MemoryStep& memory);
void note_stored_origin(Context& context, const AccessEvent& event, const MemoryStep& memory);
// The same for single bytes of up to 16: copies, rows of matrices.
std::array<u64, 16> loaded_origins(const AccessEvent& event);
void keep_origins(const AccessEvent& event, u32 first, u32 bytes, const u64* origins);

}  // namespace ropewalk::machine
