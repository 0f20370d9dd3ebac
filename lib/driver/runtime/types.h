// What of the CUDA runtime's interface is used, declared here so that nothing of the toolkit is needed to build: names,
// layouts and numbers as in the CUDA Runtime API reference, versions 12 and 13.
#pragma once
#include <cstddef>

#include "lib/base/types.h"

namespace ropewalk::driver::runtime {

// cudaError_t. Most numbers are the driver's own.
enum Error : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_pitch_value = 12,
  invalid_symbol = 13,
  invalid_memcpy_direction = 21,
  missing_configuration = 52,
  invalid_device_function = 98,
  invalid_device = 101,
  no_kernel_image = 209,
  peer_access_unsupported = 217,
  invalid_handle = 400,
  symbol_not_found = 500,
  not_ready = 600,
  peer_already_enabled = 704,
  not_supported = 801,
};

// cudaMemcpyKind
enum CopyKind : int { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

struct Dim {  // dim3
  unsigned x, y, z;
};
struct Extent {  // cudaExtent; the width in bytes
  std::size_t width, height, depth;
};
struct Position {  // cudaPos
  std::size_t x, y, z;
};
struct Pitched {  // cudaPitchedPtr
  void* address;
  std::size_t pitch, width, height;
};
struct Copy3D {  // cudaMemcpy3DParms
  void* from_array;
  Position from_position;
  Pitched from;
  void* to_array;
  Position to_position;
  Pitched to;
  Extent extent;
  int kind;
};
struct PeerCopy3D {  // cudaMemcpy3DPeerParms
  void* from_array;
  Position from_position;
  Pitched from;
  int from_device;
  void* to_array;
  Position to_position;
  Pitched to;
  int to_device;
  Extent extent;
};
struct FunctionAttributes {  // cudaFuncAttributes
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes, carveout;
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
  int reserved[16];
};
struct PointerAttributes {  // cudaPointerAttributes, the part that 12 has
  int type, device;
  void *device_pointer, *host_pointer;
};
struct LaunchConfig {  // cudaLaunchConfig_t
  Dim grid, block;
  std::size_t shared_bytes;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};
struct Channel {  // cudaChannelFormatDesc
  int x, y, z, w, kind;
};
static_assert(sizeof(Copy3D) == 160 && sizeof(PeerCopy3D) == 168 && sizeof(FunctionAttributes) == 144 &&
              sizeof(PointerAttributes) == 24 && sizeof(LaunchConfig) == 56);

}  // namespace ropewalk::driver::runtime
