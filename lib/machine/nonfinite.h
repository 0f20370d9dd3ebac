// Where NaN and infinity come from. Asked for in a second run of a launch, when an output that should be finite is not.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// What the operands of a step were, by lane of the context: before the step, for it may overwrite them.
struct OriginNotes {
  struct Lane { u32 carried = 0; bool operand_nan = false, operand_nonfinite = false; };
  std::vector<Lane> lanes;
};
OriginNotes before_float(const Context& context, const Step& step);
// For each active lane whose result is NaN or infinite the origin is that of an operand with the same trouble, or this
// step itself, where the operands were numbers (for NaN: none of them NaN; for infinity: all finite). A NaN made of an
// infinity that was itself made of numbers has that one's origin: it came first.
void after_float(Context& context, const Op* op, const OriginNotes& notes);
// After a load or store of a float: the origin travels with the value.
void note_loaded_origin(Context& context, const AccessEvent& event, const MemoryStep& memory);
void note_stored_origin(Context& context, const AccessEvent& event, const MemoryStep& memory);
// Whether bits of the given size (2: either half format decides by `is_bf16`) are NaN or infinite.
bool is_nonfinite(u64 bits, ptx::Type type);
bool is_nan(u64 bits, ptx::Type type);

}  // namespace ropewalk::machine
