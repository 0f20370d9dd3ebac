// Copies. Those that a stream orders are done when they are given to it.
#include "lib/driver/api/launch_request.h"

namespace ropewalk::driver {

namespace {

using Copy = DeviceMemory::Copy;

// CUmemorytype
enum MemoryType : int { host = 1, device = 2, array = 3, unified = 4 };

VolumeCopy volume_of(const Copy& copy) {
  const auto end = [](const Block& at, bool is_of_device) {
    const MemoryType type = is_of_device ? device : unified;
    return EndOfVolume{.type = type,
                       .host_address = at.address,
                       .device_address = at.address,
                       .pitch = at.pitch,
                       .height = at.pitch ? at.slice / at.pitch : 0};
  };
  return {end(copy.from, copy.from_device), end(copy.to, copy.to_device), copy.bytes, copy.rows, copy.slices};
}

// What the copy is ordered by: a stream, or the default stream and the host, which waits for it; or all work of all
// devices.
struct On {
  Stream* stream = nullptr;
  bool is_async = false, is_alone = false;
};
On on(Stream* stream) { return {stream, true}; }
constexpr On alone = {.is_alone = true};

// Whether the host goes on when the copy is done ("API synchronization behavior"). Where the reference leaves that open
// it is what drivers do: they wait for copies of memory that is not pinned, but for those to a device on a stream.
bool is_waited_for(DeviceMemory& memory, const Copy& what, bool is_async) {
  const Allocation *to = memory.find(what.to.address).allocation, *from = memory.find(what.from.address).allocation;
  const bool to_host = !to || to->is_on_host(), from_host = !from || from->is_on_host();
  if (!is_async) return to_host || from_host;
  const bool is_managed = (to && to->kind == MemoryKind::Managed) || (from && from->kind == MemoryKind::Managed);
  return !to || (to_host && from_host && !is_managed);
}

// Whether it goes from the memory of one device to that of another one.
bool is_between_devices(DeviceMemory& memory, const Copy& what) {
  const Allocation *to = memory.find(what.to.address).allocation, *from = memory.find(what.from.address).allocation;
  return to && from && !to->is_on_host() && !from->is_on_host() && to->device != from->device;
}

int copy(const Copy& what, const char* name, On on = {}) {
  RW_CALL(call);
  Session& session = *call;
  if (!is_stream(session, on.stream)) return answer(Result::InvalidHandle);
  const bool is_noted = capturing(session, on.stream) != nullptr;
  // CUDA programming guide, "Peer-to-Peer Memory Copy": in the NULL stream it comes after all work of both devices that
  // was given before, and before all that is given later.
  if (is_legacy(on.stream) && !is_noted) on.is_alone |= is_between_devices(session.memory(), what);
  if (on.is_alone) begin_alone(session);
  const bool is_of_program = !session.memory().find(what.from.address).allocation;  // which the driver copies first
  if (!is_noted && (is_of_program || is_waited_for(session.memory(), what, on.is_async))) {
    wait_for_work(session, on.stream);
  }
  session.synchronize();
  const Work work = [&session, what, name] { return session.memory().copy(what, name); };
  const Result result = submit(session, on.stream, NodeKind::Copy, work, volume_of(what));
  if (result == Result::Success && !is_noted && is_waited_for(session.memory(), what, on.is_async)) {
    wait_for(session, on.stream);
  }
  if (on.is_alone) end_alone(session);
  return answer(result);
}

Copy bytes_of(u64 to, u64 from, u64 bytes) { return {.to = {to}, .from = {from}, .bytes = bytes}; }
Copy to_device(Copy copy) {
  copy.to_device = true;
  return copy;
}
Copy from_device(Copy copy) {
  copy.from_device = true;
  return copy;
}

// An end of a copy of rows, as CUDA_MEMCPY2D and 3D have it.
struct End {
  MemoryType type;
  u64 host_address, device_address;
  u64 x, y, z, pitch, height;
};

// The first byte of it; false where it is an array.
bool resolve(const End& end, u64 width, Block& block, bool& is_device) {
  if (end.type != MemoryType::host && end.type != MemoryType::device && end.type != MemoryType::unified) return false;
  block.pitch = end.pitch ? end.pitch : width;
  block.slice = block.pitch * end.height;
  is_device = end.type == MemoryType::device;
  block.address = (end.type == MemoryType::host ? end.host_address : end.device_address) + end.z * block.slice +
                  end.y * block.pitch + end.x;
  return true;
}

// The copy that the words of a program stand for.
Result make_copy(const End& to, const End& from, u64 width, u64 height, u64 depth, const char* name, Copy& what) {
  what.bytes = width;
  what.rows = height;
  what.slices = depth;
  if (!resolve(to, width, what.to, what.to_device) || !resolve(from, width, what.from, what.from_device)) {
    Held()->unsupported(std::string(name) + " of an array");
    return Result::NotSupported;
  }
  constexpr u64 most_pitch = 0x7fffffff;  // CU_DEVICE_ATTRIBUTE_MAX_PITCH
  const bool is_pitch = std::min(what.to.pitch, what.from.pitch) >= width &&
                        std::max(what.to.pitch, what.from.pitch) <= std::max(most_pitch, width);
  return is_pitch ? Result::Success : Result::InvalidValue;
}

// As the reference has them.
struct EndOfPlane {
  std::size_t x, y;
  int type;
  u64 host_address, device_address;
  void* array;
  std::size_t pitch;
  End end() const { return {MemoryType(type), host_address, device_address, x, y, 0, pitch, 0}; }
};
struct PlaneCopy {
  EndOfPlane from, to;
  std::size_t width, height;
};
static_assert(sizeof(PlaneCopy) == 128);
End end_of(const EndOfVolume& at) {
  return {MemoryType(at.type), at.host_address, at.device_address, at.x, at.y, at.z, at.pitch, at.height};
}

Result make_copy(const PlaneCopy& of, const char* name, Copy& what) {
  return make_copy(of.to.end(), of.from.end(), of.width, of.height, 1, name, what);
}
Result make_copy(const VolumeCopy& of, const char* name, Copy& what) {
  return make_copy(end_of(of.to), end_of(of.from), of.width, of.height, of.depth, name, what);
}

template <class Rows>
int copy_rows(const Rows* rows, const char* name, On on = {}) {
  if (!rows) return invalid_value;
  Copy what;
  const Result result = make_copy(*rows, name, what);
  return result == Result::Success ? copy(what, name, on) : answer(result);
}

}  // namespace

RW_CUDA cuMemcpy(u64 to, u64 from, std::size_t bytes) { return copy(bytes_of(to, from, bytes), "cuMemcpy"); }
RW_CUDA cuMemcpyAsync(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(bytes_of(to, from, bytes), "cuMemcpyAsync", on(stream));
}
RW_CUDA cuMemcpyHtoD_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(to_device(bytes_of(to, from, bytes)), "cuMemcpyHtoD");
}
RW_CUDA cuMemcpyHtoDAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(to_device(bytes_of(to, from, bytes)), "cuMemcpyHtoDAsync", on(stream));
}
RW_CUDA cuMemcpyDtoH_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(from_device(bytes_of(to, from, bytes)), "cuMemcpyDtoH");
}
RW_CUDA cuMemcpyDtoHAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(from_device(bytes_of(to, from, bytes)), "cuMemcpyDtoHAsync", on(stream));
}
RW_CUDA cuMemcpyDtoD_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyDtoD");
}
RW_CUDA cuMemcpyDtoDAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyDtoDAsync", on(stream));
}
RW_CUDA cuMemcpyPeer(u64 to, Context*, u64 from, Context*, std::size_t bytes) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyPeer", alone);
}
RW_CUDA cuMemcpyPeerAsync(u64 to, Context*, u64 from, Context*, std::size_t bytes, Stream* stream) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyPeerAsync", on(stream));
}
RW_CUDA cuMemcpy2D_v2(const PlaneCopy* what) { return copy_rows(what, "cuMemcpy2D"); }
RW_CUDA cuMemcpy2DUnaligned_v2(const PlaneCopy* what) { return copy_rows(what, "cuMemcpy2DUnaligned"); }
RW_CUDA cuMemcpy2DAsync_v2(const PlaneCopy* what, Stream* stream) {
  return copy_rows(what, "cuMemcpy2DAsync", on(stream));
}
RW_CUDA cuMemcpy3D_v2(const VolumeCopy* what) { return copy_rows(what, "cuMemcpy3D"); }
RW_CUDA cuMemcpy3DAsync_v2(const VolumeCopy* what, Stream* stream) {
  return copy_rows(what, "cuMemcpy3DAsync", on(stream));
}
RW_CUDA cuMemcpy3DPeer(const VolumeCopy* what) { return copy_rows(what, "cuMemcpy3DPeer", alone); }
RW_CUDA cuMemcpy3DPeerAsync(const VolumeCopy* what, Stream* stream) {
  return copy_rows(what, "cuMemcpy3DPeerAsync", on(stream));
}

namespace {

struct BatchAttributes {  // CUmemcpyAttributes
  enum Order : int { in_stream_order = 1, in_any_order = 3 };
  int order;
  MemoryLocation from, to;  // hints
  unsigned flags;
};
static_assert(sizeof(BatchAttributes) == 24);

bool is_order(int order) { return order >= BatchAttributes::in_stream_order && order <= BatchAttributes::in_any_order; }

// Whether each copy has attributes.
bool are_attributes(const BatchAttributes* attributes, const std::size_t* first, std::size_t kinds, std::size_t count) {
  return attributes && are_firsts(first, kinds, count) &&
         std::all_of(attributes, attributes + kinds, [](const BatchAttributes& it) { return is_order(it.order); });
}

// An end of a copy in three dimensions, which a batch begins where the pointer leads.
struct BatchEnd {  // CUmemcpy3DOperand
  enum Kind : int { pointer = 1, array = 2 };
  int kind;
  u64 address;
  std::size_t row_bytes, rows;  // of which it is a part; 0: as many as are copied
  MemoryLocation hint;
};
struct BatchCopy {  // CUDA_MEMCPY3D_BATCH_OP
  BatchEnd from, to;
  std::size_t width, height, depth;
  int order;
  unsigned flags;
};
static_assert(sizeof(BatchEnd) == 40 && sizeof(BatchCopy) == 112);

bool is_end(const BatchEnd& end, const BatchCopy& of) {
  if (end.kind != BatchEnd::pointer) return end.kind == BatchEnd::array;
  return end.address && (!end.row_bytes || end.row_bytes >= of.width) && (!end.rows || end.rows >= of.height);
}
bool is_copy(const BatchCopy& of) {
  return of.width && of.height && of.depth && is_order(of.order) && is_end(of.from, of) && is_end(of.to, of);
}

VolumeCopy volume_of(const BatchCopy& of) {
  const auto end = [&](const BatchEnd& at) {
    return EndOfVolume{.type = at.kind == BatchEnd::array ? MemoryType::array : MemoryType::unified,
                       .host_address = at.address,
                       .device_address = at.address,
                       .pitch = at.row_bytes ? at.row_bytes : of.width,
                       .height = at.rows ? at.rows : of.height};
  };
  return {end(of.from), end(of.to), of.width, of.height, of.depth};
}

}  // namespace

// In whatever order the copies are made, a source is read no later than the call says.
RW_CUDA cuMemcpyBatchAsync_v2(const u64* to, const u64* from, const std::size_t* bytes, std::size_t count,
                              const BatchAttributes* attributes, const std::size_t* first, std::size_t kinds,
                              Stream* stream) {
  if (!count || !has_all(to, from, bytes) || !are_attributes(attributes, first, kinds, count)) return invalid_value;
  if (is_legacy(stream)) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (const int no = copy(bytes_of(to[n], from[n], bytes[n]), "cuMemcpyBatchAsync", on(stream))) return no;
  }
  return success;
}
RW_CUDA cuMemcpyBatchAsync(const u64* to, const u64* from, const std::size_t* bytes, std::size_t count,
                           const BatchAttributes* attributes, const std::size_t* first, std::size_t kinds,
                           std::size_t* failed, Stream* stream) {
  const int error = cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, first, kinds, stream);
  if (error && failed) *failed = ~std::size_t(0);  // no copy alone
  return error;
}

RW_CUDA cuMemcpy3DBatchAsync_v2(std::size_t count, const BatchCopy* copies, u64 flags, Stream* stream) {
  if (!count || !copies || flags || is_legacy(stream) || !std::all_of(copies, copies + count, is_copy))
    return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    const VolumeCopy one = volume_of(copies[n]);
    if (const int no = copy_rows(&one, "cuMemcpy3DBatchAsync", on(stream))) return no;
  }
  return success;
}
RW_CUDA cuMemcpy3DBatchAsync(std::size_t count, const BatchCopy* copies, std::size_t* failed, u64 flags,
                             Stream* stream) {
  const int error = cuMemcpy3DBatchAsync_v2(count, copies, flags, stream);
  if (error && failed) *failed = ~std::size_t(0);  // no copy alone
  return error;
}

Work copy_work(Session& session, const VolumeCopy& what) {
  return [&session, what] {
    Copy copy;
    const Result result = make_copy(what, "cuGraphAddMemcpyNode", copy);
    return result == Result::Success ? session.memory().copy(copy, "cuGraphAddMemcpyNode") : result;
  };
}

}  // namespace ropewalk::driver
