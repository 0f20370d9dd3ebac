#include "lib/machine/handlers/careful_matrix.h"

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/warp.h"
#include "lib/machine/nonfinite.h"

namespace ropewalk::machine::careful {

namespace {

// The element of an 8x8 matrix that is the lower or upper half of a lane's register: after ldmatrix lane l holds the
// elements (2l % 8, 2l % 8 + 1) of row l / 4 (PTX ISA, ldmatrix). With .trans rows and columns are exchanged.
struct Element {
  u32 row, column;
};
Element element_of(u32 lane, u32 half, bool transposed) {
  const u32 row = lane / 4, column = lane % 4 * 2 + half;
  return transposed ? Element{column, row} : Element{row, column};
}

}  // namespace

// Lane l gives the address of row l % 8 of matrix l / 8.
const Op* load_matrix(Context& context, const Op* op) {
  if (!warp_wide::whole_warps(context, op)) return nullptr;
  const MemoryStep& memory = *step_of(context, op).memory;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    u16 rows[4][8][8] = {};
    Mark marks[4][8][8];
    std::array<u64, 16> origins[4][8] = {};
    const bool track_origins = !context.shadow->origins.empty();
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      for (u32 row = 0; row < 8; ++row) {
        const u32 lane = matrix * 8 + row;
        AccessEvent event = make_event(context, op, warp, lane, AccessKind::Load,
                                       address_of(context, memory.address, memory.offset, warp, lane), 16);
        resolve(event, memory.space);
        Verdict verdict;
        if (address_is_defined(event, memory.address))
          verdict = judge(event);
        else
          verdict.perform = false;
        if (verdict.perform) read_bytes(event, reinterpret_cast<std::byte*>(rows[matrix][row]));
        for (u32 column = 0; column < 8; ++column)
          marks[matrix][row][column] = mark_read(event, verdict, column * 2, 2);
        if (track_origins && verdict.perform) origins[matrix][row] = loaded_origins(event);
      }
    }
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        const Element low = element_of(lane, 0, op->immediate != 0), high = element_of(lane, 1, op->immediate != 0);
        write_value(context, memory.values[matrix], warp, lane,
                    u32(rows[matrix][low.row][low.column]) | u32(rows[matrix][high.row][high.column]) << 16);
        set_mark(context, memory.values[matrix], warp, lane,
                 joined(*context.block, marks[matrix][low.row][low.column],
                        placed(marks[matrix][high.row][high.column], 2)));
        if (!track_origins) continue;
        const u64 first = origins[matrix][low.row][low.column * 2], second = origins[matrix][high.row][high.column * 2];
        context.shadow->origins[context.shadow->cell(memory.values[matrix], warp, lane)] = first ? first : second;
      }
    }
  }
  return op + 1;
}

const Op* store_matrix(Context& context, const Op* op) {
  if (!warp_wide::whole_warps(context, op)) return nullptr;
  const MemoryStep& memory = *step_of(context, op).memory;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      u16 rows[8][8];
      Mark marks[8][8];
      std::array<u64, 16> origins[8] = {};
      const bool track_origins = !context.shadow->origins.empty();
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        const u32 bits = u32(read_value(context, memory.values[matrix], warp, lane));
        for (u32 half = 0; half < 2; ++half) {
          const Element at = element_of(lane, half, op->immediate != 0);
          rows[at.row][at.column] = u16(bits >> (16 * half));
          marks[at.row][at.column] = part_of(mark_of(context, memory.values[matrix], warp, lane), 2 * half, 2);
          if (!track_origins) continue;
          const u64 origin = context.shadow->origins[context.shadow->cell(memory.values[matrix], warp, lane)];
          origins[at.row][at.column * 2] = origins[at.row][at.column * 2 + 1] = origin;
        }
      }
      for (u32 row = 0; row < 8; ++row) {
        const u32 lane = matrix * 8 + row;
        AccessEvent event = make_event(context, op, warp, lane, AccessKind::Store,
                                       address_of(context, memory.address, memory.offset, warp, lane), 16);
        resolve(event, memory.space);
        event.stored = reinterpret_cast<const std::byte*>(rows[row]);
        if (!address_is_defined(event, memory.address) || !judge(event).perform) continue;
        write_bytes(event, event.stored);
        for (u32 column = 0; column < 8; ++column) mark_stored(event, column * 2, 2, marks[row][column]);
        if (track_origins) keep_origins(event, 0, 16, origins[row].data());
      }
    }
  }
  return op + 1;
}

}  // namespace ropewalk::machine::careful
