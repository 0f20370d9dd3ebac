// Copies. Those that a stream orders are done when they are given to it.
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

using Copy = DeviceMemory::Copy;

// On the stream; of copies without one the program may expect that all is done when they return.
int copy(const Copy& what, const char* name, Stream* stream = nullptr) {
  RW_CALL(call);
  Session& session = *call;
  session.synchronize();
  return answer(
      submit(session, stream, NodeKind::Copy, [&session, what, name] { return session.memory().copy(what, name); }));
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

// CUmemorytype
enum MemoryType : int { host = 1, device = 2, array = 3, unified = 4 };

// An end of a copy of rows, as CUDA_MEMCPY2D and 3D have it.
struct End {
  MemoryType type;
  u64 host_address, device_address;
  u64 x, y, z, pitch, height;
};

// The first byte of it; false where it is an array.
bool place(const End& end, u64 width, Block& block, bool& is_device) {
  if (end.type != MemoryType::host && end.type != MemoryType::device && end.type != MemoryType::unified) return false;
  block.pitch = end.pitch ? end.pitch : width;
  block.slice = block.pitch * end.height;
  is_device = end.type == MemoryType::device;
  block.address = (end.type == MemoryType::host ? end.host_address : end.device_address) + end.z * block.slice +
                  end.y * block.pitch + end.x;
  return true;
}

int copy_rows(const End& to, const End& from, u64 width, u64 height, u64 depth, const char* name, Stream* stream) {
  Copy what{.bytes = width, .rows = height, .slices = depth};
  if (!place(to, width, what.to, what.to_device) || !place(from, width, what.from, what.from_device)) {
    Held()->unsupported(std::string(name) + " of an array");
    return answer(Result::NotSupported);
  }
  if (what.to.pitch < width || what.from.pitch < width) return invalid_value;
  return copy(what, name, stream);
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
struct EndOfVolume {
  std::size_t x, y, z, level;
  int type;
  u64 host_address, device_address;
  void *array, *context;
  std::size_t pitch, height;
  End end() const { return {MemoryType(type), host_address, device_address, x, y, z, pitch, height}; }
};
struct VolumeCopy {
  EndOfVolume from, to;
  std::size_t width, height, depth;
};
static_assert(sizeof(PlaneCopy) == 128 && sizeof(VolumeCopy) == 200);

int copy_plane(const PlaneCopy* what, const char* name, Stream* stream) {
  return what ? copy_rows(what->to.end(), what->from.end(), what->width, what->height, 1, name, stream) : invalid_value;
}
int copy_volume(const VolumeCopy* what, const char* name, Stream* stream) {
  return what ? copy_rows(what->to.end(), what->from.end(), what->width, what->height, what->depth, name, stream)
              : invalid_value;
}

}  // namespace

RW_CUDA cuMemcpy(u64 to, u64 from, std::size_t bytes) { return copy(bytes_of(to, from, bytes), "cuMemcpy"); }
RW_CUDA cuMemcpyAsync(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(bytes_of(to, from, bytes), "cuMemcpyAsync", stream);
}
RW_CUDA cuMemcpyHtoD_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(to_device(bytes_of(to, from, bytes)), "cuMemcpyHtoD");
}
RW_CUDA cuMemcpyHtoDAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(to_device(bytes_of(to, from, bytes)), "cuMemcpyHtoDAsync", stream);
}
RW_CUDA cuMemcpyDtoH_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(from_device(bytes_of(to, from, bytes)), "cuMemcpyDtoH");
}
RW_CUDA cuMemcpyDtoHAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(from_device(bytes_of(to, from, bytes)), "cuMemcpyDtoHAsync", stream);
}
RW_CUDA cuMemcpyDtoD_v2(u64 to, u64 from, std::size_t bytes) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyDtoD");
}
RW_CUDA cuMemcpyDtoDAsync_v2(u64 to, u64 from, std::size_t bytes, Stream* stream) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyDtoDAsync", stream);
}
RW_CUDA cuMemcpyPeer(u64 to, Context*, u64 from, Context*, std::size_t bytes) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyPeer");
}
RW_CUDA cuMemcpyPeerAsync(u64 to, Context*, u64 from, Context*, std::size_t bytes, Stream* stream) {
  return copy(to_device(from_device(bytes_of(to, from, bytes))), "cuMemcpyPeerAsync", stream);
}
RW_CUDA cuMemcpy2D_v2(const PlaneCopy* what) { return copy_plane(what, "cuMemcpy2D", nullptr); }
RW_CUDA cuMemcpy2DUnaligned_v2(const PlaneCopy* what) { return copy_plane(what, "cuMemcpy2DUnaligned", nullptr); }
RW_CUDA cuMemcpy2DAsync_v2(const PlaneCopy* what, Stream* stream) {
  return copy_plane(what, "cuMemcpy2DAsync", stream);
}
RW_CUDA cuMemcpy3D_v2(const VolumeCopy* what) { return copy_volume(what, "cuMemcpy3D", nullptr); }
RW_CUDA cuMemcpy3DAsync_v2(const VolumeCopy* what, Stream* stream) {
  return copy_volume(what, "cuMemcpy3DAsync", stream);
}
RW_CUDA cuMemcpy3DPeer(const VolumeCopy* what) { return copy_volume(what, "cuMemcpy3DPeer", nullptr); }
RW_CUDA cuMemcpy3DPeerAsync(const VolumeCopy* what, Stream* stream) {
  return copy_volume(what, "cuMemcpy3DPeerAsync", stream);
}

}  // namespace ropewalk::driver
