#include "lib/driver/runtime/copy.h"

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"

namespace ropewalk::driver::runtime {

namespace {

// CUmemorytype of the ends of a copy.
enum MemoryType : unsigned { host = 1, device = 2, array = 3, unified = 4 };
MemoryType from_type(int kind) {
  return kind == by_address ? unified : kind == host_to_host || kind == host_to_device ? host : device;
}
MemoryType to_type(int kind) {
  return kind == by_address ? unified : kind == host_to_host || kind == device_to_host ? host : device;
}

// A stream that a copy is put on, or none for a copy that is waited for.
struct On {
  void* stream = nullptr;
  bool is_async = false;
};

int copy(void* to, const void* from, std::size_t bytes, int kind, On on) {
  int device = 0;
  if (bytes == 0)
    return ROPEWALK_DRIVER(cuCtxGetDevice, &device);  // what a broken context answers to whatever is called
  const u64 target = address_of(to), source = address_of(from);
  switch (kind) {
    case host_to_device:
      return on.is_async ? ROPEWALK_DRIVER(cuMemcpyHtoDAsync_v2, target, from, bytes, on.stream)
                         : ROPEWALK_DRIVER(cuMemcpyHtoD_v2, target, from, bytes);
    case device_to_host:
      return on.is_async ? ROPEWALK_DRIVER(cuMemcpyDtoHAsync_v2, to, source, bytes, on.stream)
                         : ROPEWALK_DRIVER(cuMemcpyDtoH_v2, to, source, bytes);
    case device_to_device:
      return on.is_async ? ROPEWALK_DRIVER(cuMemcpyDtoDAsync_v2, target, source, bytes, on.stream)
                         : ROPEWALK_DRIVER(cuMemcpyDtoD_v2, target, source, bytes);
    case host_to_host:
    case by_address:
      return on.is_async ? ROPEWALK_DRIVER(cuMemcpyAsync, target, source, bytes, on.stream)
                         : ROPEWALK_DRIVER(cuMemcpy, target, source, bytes);
    default:
      return invalid_memcpy_direction;
  }
}

DriverCopy3D::End end_of(MemoryType type, const void* address, std::size_t pitch, std::size_t height, Position at) {
  return {at.x, at.y, at.z, 0, type, const_cast<void*>(address), address_of(address), nullptr, nullptr, pitch, height};
}

int copy_rows(const DriverCopy3D& rows, On on) {
  if (!rows.width || !rows.height || !rows.depth) return success;
  return on.is_async ? ROPEWALK_DRIVER(cuMemcpy3DAsync_v2, &rows, on.stream) : ROPEWALK_DRIVER(cuMemcpy3D_v2, &rows);
}

int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
            std::size_t height, int kind, On on) {
  if (kind < 0 || kind > by_address) return invalid_memcpy_direction;
  // Of a single row the driver says so.
  if (width > to_pitch || width > from_pitch) return height > 1 ? invalid_pitch_value : invalid_value;
  return copy_rows({end_of(from_type(kind), from, from_pitch, height, {}),
                    end_of(to_type(kind), to, to_pitch, height, {}), width, height, 1},
                   on);
}

}  // namespace

int rows_of(const char* name, const Copy3D* copy, DriverCopy3D* rows) {
  if (!copy) return invalid_value;
  if (copy->from_array || copy->to_array) return not_there(name);
  const auto& [a, from_at, from, b, to_at, to, extent, kind] = *copy;
  if (kind < 0 || kind > by_address) return invalid_memcpy_direction;
  *rows = {end_of(from_type(kind), from.address, from.pitch, from.height, from_at),
           end_of(to_type(kind), to.address, to.pitch, to.height, to_at), extent.width, extent.height, extent.depth};
  return success;
}

int copy_batch(void* const* to, void* const* from, const std::size_t* bytes, std::size_t count, const void* attributes,
               const std::size_t* first, std::size_t kinds, std::size_t* failed, void* stream) {
  return run("cudaMemcpyBatchAsync", [&] {
    return ROPEWALK_DRIVER(cuMemcpyBatchAsync, reinterpret_cast<const u64*>(to), reinterpret_cast<const u64*>(from),
                           bytes, count, attributes, first, kinds, failed, stream);
  });
}

int copy_batch_3d(std::size_t count, const void* copies, std::size_t* failed, u64 flags, void* stream) {
  return run("cudaMemcpy3DBatchAsync",
             [&] { return ROPEWALK_DRIVER(cuMemcpy3DBatchAsync, count, copies, failed, flags, stream); });
}

namespace {

// What the driver answers where one of the devices is none.
int check_devices(int first, int second) {
  int device = 0;
  if (const int error = ROPEWALK_DRIVER(cuDeviceGet, &device, first)) return error;
  return ROPEWALK_DRIVER(cuDeviceGet, &device, second);
}

int copy_3d(const char* name, const Copy3D* copy, On on) {
  DriverCopy3D rows;
  const int error = rows_of(name, copy, &rows);
  return error ? error : copy_rows(rows, on);
}

int copy_3d(const char* name, const PeerCopy3D* peer, On on) {
  if (!peer) return invalid_value;
  const Copy3D same = {peer->from_array, peer->from_position, peer->from,      peer->to_array, peer->to_position,
                       peer->to,         peer->extent,        device_to_device};
  if (const int error = check_devices(peer->from_device, peer->to_device)) return error;
  if (on.is_async) return copy_3d(name, &same, on);
  DriverCopy3D rows;
  const int error = rows_of(name, &same, &rows);
  return error || !rows.width || !rows.height || !rows.depth ? error : ROPEWALK_DRIVER(cuMemcpy3DPeer, &rows);
}

// The part of a variable that a copy is about. What reaches past its end is found by the copy.
int part_of(const void* symbol, std::size_t offset, void** part) {
  u64 address = 0;
  std::size_t size = 0;
  if (const int error = find_variable(symbol, &address, &size)) return error;
  *part = reinterpret_cast<void*>(address + offset);
  return success;
}

// A variable is memory of the device: it is copied to and from there alone.
int to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind, On on) {
  if (kind != host_to_device && kind != device_to_device && kind != by_address) return invalid_memcpy_direction;
  void* part = nullptr;
  const int error = part_of(symbol, offset, &part);
  return error ? error : copy(part, from, bytes, kind, on);
}

int from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind, On on) {
  if (kind != device_to_host && kind != device_to_device && kind != by_address) return invalid_memcpy_direction;
  void* part = nullptr;
  const int error = part_of(symbol, offset, &part);
  return error ? error : copy(to, part, bytes, kind, on);
}

}  // namespace

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;
using std::size_t;

ROPEWALK_RUNTIME(cudaMemcpy, void* to, const void* from, size_t bytes, int kind) {
  return run(__func__, [&] { return copy(to, from, bytes, kind, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy, _ptds);

ROPEWALK_RUNTIME(cudaMemcpyAsync, void* to, const void* from, size_t bytes, int kind, void* stream) {
  return run(__func__, [&] { return copy(to, from, bytes, kind, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpyAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemcpyPeer, void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return run(__func__, [&] {
    if (const int error = check_devices(to_device, from_device)) return error;
    return bytes ? ROPEWALK_DRIVER(cuMemcpyPeer, address_of(to), nullptr, address_of(from), nullptr, bytes)
                 : int(success);
  });
}

ROPEWALK_RUNTIME(cudaMemcpyPeerAsync, void* to, int to_device, const void* from, int from_device, size_t bytes,
                 void* stream) {
  return run(__func__, [&] {
    const int error = check_devices(to_device, from_device);
    return error ? error : copy(to, from, bytes, device_to_device, {stream, true});
  });
}

ROPEWALK_RUNTIME(cudaMemcpy2D, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind) {
  return run(__func__, [&] { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy2D, _ptds);

ROPEWALK_RUNTIME(cudaMemcpy2DAsync, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind, void* stream) {
  return run(__func__, [&] { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemcpy3D, const Copy3D* rows) {
  return run(__func__, [&] { return copy_3d("cudaMemcpy3D", rows, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy3D, _ptds);

ROPEWALK_RUNTIME(cudaMemcpy3DAsync, const Copy3D* rows, void* stream) {
  return run(__func__, [&] { return copy_3d("cudaMemcpy3DAsync", rows, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy3DAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemcpy3DPeer, const PeerCopy3D* rows) {
  return run(__func__, [&] { return copy_3d("cudaMemcpy3DPeer", rows, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy3DPeer, _ptds);

ROPEWALK_RUNTIME(cudaMemcpy3DPeerAsync, const PeerCopy3D* rows, void* stream) {
  return run(__func__, [&] { return copy_3d("cudaMemcpy3DPeerAsync", rows, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemcpyToSymbol, const void* symbol, const void* from, size_t bytes, size_t offset, int kind) {
  return run(__func__, [&] { return to_symbol(symbol, from, bytes, offset, kind, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpyToSymbol, _ptds);

ROPEWALK_RUNTIME(cudaMemcpyToSymbolAsync, const void* symbol, const void* from, size_t bytes, size_t offset, int kind,
                 void* stream) {
  return run(__func__, [&] { return to_symbol(symbol, from, bytes, offset, kind, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);

ROPEWALK_RUNTIME(cudaMemcpyFromSymbol, void* to, const void* symbol, size_t bytes, size_t offset, int kind) {
  return run(__func__, [&] { return from_symbol(to, symbol, bytes, offset, kind, {}); });
}
ROPEWALK_PER_THREAD(cudaMemcpyFromSymbol, _ptds);

ROPEWALK_RUNTIME(cudaMemcpyFromSymbolAsync, void* to, const void* symbol, size_t bytes, size_t offset, int kind,
                 void* stream) {
  return run(__func__, [&] { return from_symbol(to, symbol, bytes, offset, kind, {stream, true}); });
}
ROPEWALK_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);

extern "C" {
int cuGraphAddMemcpyNode(void**, void*, void* const*, size_t, const DriverCopy3D*, void*) __attribute__((weak));
int cuGraphMemcpyNodeSetParams(void*, const DriverCopy3D*) __attribute__((weak));
int cuGraphExecMemcpyNodeSetParams(void*, void*, const DriverCopy3D*, void*) __attribute__((weak));
}

namespace {

// Calls body() with the driver's parameters.
template <class Body>
int with_rows(const char* name, const Copy3D* copy, const Body& body) {
  return run(name, [&] {
    DriverCopy3D rows;
    const int error = rows_of(name, copy, &rows);
    return error ? error : body(&rows);
  });
}

Copy3D bytes_as_rows(void* to, const void* from, size_t bytes, int kind) {
  return {nullptr,       {},  {const_cast<void*>(from), bytes, bytes, 1}, nullptr, {}, {to, bytes, bytes, 1},
          {bytes, 1, 1}, kind};
}

// Calls body() with the address of a part of a variable.
template <class Body>
int with_part(const char* name, const void* symbol, size_t offset, const Body& body) {
  void* part = nullptr;
  const int error = run(name, [&] { return part_of(symbol, offset, &part); });
  return error ? error : body(part);
}

}  // namespace

ROPEWALK_RUNTIME(cudaGraphAddMemcpyNode, void** to, void* graph, void* const* after, size_t count, const Copy3D* copy) {
  return with_rows(__func__, copy, [&](const DriverCopy3D* rows) {
    return ROPEWALK_DRIVER(cuGraphAddMemcpyNode, to, graph, after, count, rows, nullptr);
  });
}
ROPEWALK_RUNTIME(cudaGraphAddMemcpyNode1D, void** node, void* graph, void* const* after, size_t count, void* to,
                 const void* from, size_t bytes, int kind) {
  const Copy3D copy = bytes_as_rows(to, from, bytes, kind);
  return cudaGraphAddMemcpyNode(node, graph, after, count, &copy);
}

ROPEWALK_RUNTIME(cudaGraphMemcpyNodeSetParams, void* node, const Copy3D* copy) {
  return with_rows(__func__, copy,
                   [&](const DriverCopy3D* rows) { return ROPEWALK_DRIVER(cuGraphMemcpyNodeSetParams, node, rows); });
}
ROPEWALK_RUNTIME(cudaGraphMemcpyNodeSetParams1D, void* node, void* to, const void* from, size_t bytes, int kind) {
  const Copy3D copy = bytes_as_rows(to, from, bytes, kind);
  return cudaGraphMemcpyNodeSetParams(node, &copy);
}

ROPEWALK_RUNTIME(cudaGraphExecMemcpyNodeSetParams, void* graph, void* node, const Copy3D* copy) {
  return with_rows(__func__, copy, [&](const DriverCopy3D* rows) {
    return ROPEWALK_DRIVER(cuGraphExecMemcpyNodeSetParams, graph, node, rows, nullptr);
  });
}
ROPEWALK_RUNTIME(cudaGraphExecMemcpyNodeSetParams1D, void* graph, void* node, void* to, const void* from, size_t bytes,
                 int kind) {
  const Copy3D copy = bytes_as_rows(to, from, bytes, kind);
  return cudaGraphExecMemcpyNodeSetParams(graph, node, &copy);
}

ROPEWALK_RUNTIME(cudaGraphAddMemcpyNodeToSymbol, void** node, void* graph, void* const* after, size_t count,
                 const void* symbol, const void* from, size_t bytes, size_t offset, int kind) {
  return with_part(__func__, symbol, offset, [&](void* to) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}
ROPEWALK_RUNTIME(cudaGraphAddMemcpyNodeFromSymbol, void** node, void* graph, void* const* after, size_t count, void* to,
                 const void* symbol, size_t bytes, size_t offset, int kind) {
  return with_part(__func__, symbol, offset, [&](void* from) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}
ROPEWALK_RUNTIME(cudaGraphMemcpyNodeSetParamsToSymbol, void* node, const void* symbol, const void* from, size_t bytes,
                 size_t offset, int kind) {
  return with_part(__func__, symbol, offset,
                   [&](void* to) { return cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind); });
}
ROPEWALK_RUNTIME(cudaGraphMemcpyNodeSetParamsFromSymbol, void* node, void* to, const void* symbol, size_t bytes,
                 size_t offset, int kind) {
  return with_part(__func__, symbol, offset,
                   [&](void* from) { return cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind); });
}
ROPEWALK_RUNTIME(cudaGraphExecMemcpyNodeSetParamsToSymbol, void* graph, void* node, const void* symbol,
                 const void* from, size_t bytes, size_t offset, int kind) {
  return with_part(__func__, symbol, offset,
                   [&](void* to) { return cudaGraphExecMemcpyNodeSetParams1D(graph, node, to, from, bytes, kind); });
}
ROPEWALK_RUNTIME(cudaGraphExecMemcpyNodeSetParamsFromSymbol, void* graph, void* node, void* to, const void* symbol,
                 size_t bytes, size_t offset, int kind) {
  return with_part(__func__, symbol, offset,
                   [&](void* from) { return cudaGraphExecMemcpyNodeSetParams1D(graph, node, to, from, bytes, kind); });
}
