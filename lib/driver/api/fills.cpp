// Fills of memory with elements of one, two or four bytes.
#include "lib/driver/api/node_structs.h"

namespace ropewalk::driver {

namespace {

int fill_async(const Block& to, u32 value, u32 width, u64 count, u64 rows, const char* name, Stream* stream) {
  RW_CALL(call);
  if (!has_room(to.pitch, width, count, rows)) return invalid_value;
  Session& session = *call;
  return answer(submit(
      session, stream, NodeKind::Fill,
      [=, &session] { return session.memory().set(to, value, width, count, rows, name); },
      FillNode{to.address, to.pitch, value, width, count, rows}));
}

// The host waits for it where it can see the memory.
int fill(const Block& to, u32 value, u32 width, u64 count, u64 rows, const char* name) {
  const int result = fill_async(to, value, width, count, rows, name, nullptr);
  const Held held;
  const Allocation* const at = held->memory().find(to.address).allocation;
  if (result == success && at && at->is_on_host()) wait_for(*held, static_cast<Stream*>(nullptr));
  return result;
}

}  // namespace

// The four functions of one width.
#define RW_FILLS(bits, Value)                                                                                     \
  RW_CUDA cuMemsetD##bits##_v2(u64 to, Value value, std::size_t count) {                                          \
    return fill({to}, value, bits / 8, count, 1, "cuMemsetD" #bits);                                              \
  }                                                                                                               \
  RW_CUDA cuMemsetD##bits##Async(u64 to, Value value, std::size_t count, Stream* stream) {                        \
    return fill_async({to}, value, bits / 8, count, 1, "cuMemsetD" #bits "Async", stream);                        \
  }                                                                                                               \
  RW_CUDA cuMemsetD2D##bits##_v2(u64 to, std::size_t pitch, Value value, std::size_t width, std::size_t height) { \
    return fill({to, pitch}, value, bits / 8, width, height, "cuMemsetD2D" #bits);                                \
  }                                                                                                               \
  RW_CUDA cuMemsetD2D##bits##Async(u64 to, std::size_t pitch, Value value, std::size_t width, std::size_t height, \
                                   Stream* stream) {                                                              \
    return fill_async({to, pitch}, value, bits / 8, width, height, "cuMemsetD2D" #bits "Async", stream);          \
  }

RW_FILLS(8, unsigned char)
RW_FILLS(16, unsigned short)
RW_FILLS(32, unsigned)

}  // namespace ropewalk::driver
