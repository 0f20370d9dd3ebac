#include "lib/driver/device.h"

#include <algorithm>
#include <cstdlib>

#include "lib/machine/limits.h"
#include "lib/ptx/header.h"

namespace ropewalk::driver {

namespace {

struct Model {
  int capability;
  const char* name;
  u64 memory_mib;
  int l2_mib, clock_mhz, memory_clock_mhz, bus_bits;
};
constexpr u64 gib = 1024;  // MiB
// Figures of NVIDIA's data sheets; the memory of an H100 is what one says of itself.
// tools/python/ropewalk/cuda/devices.py has the same names and memory.
constexpr Model models[] = {
    {70, "NVIDIA V100-SXM2-32GB", 32 * gib, 6, 1530, 877, 4096},
    {75, "NVIDIA T4", 16 * gib, 4, 1590, 5001, 256},
    {80, "NVIDIA A100-SXM4-80GB", 80 * gib, 40, 1410, 1593, 5120},
    {86, "NVIDIA A10", 24 * gib, 6, 1695, 6251, 384},
    {89, "NVIDIA L4", 24 * gib, 48, 2040, 6251, 192},
    {90, "NVIDIA H100 80GB HBM3", 81079, 50, 1980, 2619, 5120},
    {100, "NVIDIA B200", 180 * gib, 126, 1965, 3996, 8192},
    {120, "NVIDIA GeForce RTX 5090", 32 * gib, 96, 2407, 14001, 512},
};

}  // namespace

DeviceInfo device_info(const Options& options) {
  const int capability = std::max(70, int(ptx::capability_of(options.target)));
  const Model* model = models;
  for (const Model& one : models) {
    if (one.capability <= capability) model = &one;
  }
  const machine::DeviceLimits limits = machine::device_limits(options.target);
  DeviceInfo out;
  out.name = std::string(model->name) + " (virtual)";
  out.major = capability / 10;
  out.minor = capability % 10;
  out.multiprocessors = limits.multiprocessors;
  out.multiprocessor_threads = limits.threads;
  out.multiprocessor_blocks = limits.blocks;
  out.block_shared_bytes = limits.block_shared_bytes;
  out.multiprocessor_shared_bytes = limits.shared_bytes;
  // Of it the host needs what the program touches, and no more.
  out.memory_bytes = options.memory_bytes ? options.memory_bytes : model->memory_mib << 20;
  out.l2_bytes = model->l2_mib << 20;
  out.persisting_l2_bytes = capability < 80 ? 0 : capability < 90 ? out.l2_bytes / 4 * 3 : out.l2_bytes / 8 * 5;
  out.clock_khz = model->clock_mhz * 1000;
  out.memory_clock_khz = model->memory_clock_mhz * 1000;
  out.bus_bits = model->bus_bits;
  return out;
}

int attribute_of(const DeviceInfo& device, u32 ordinal, int attribute) {
  const bool is_hopper = device.major >= 9;
  switch (attribute) {
    case 1:
      return 1024;  // MAX_THREADS_PER_BLOCK
    case 2:
      return 1024;  // MAX_BLOCK_DIM_X
    case 3:
      return 1024;  // MAX_BLOCK_DIM_Y
    case 4:
      return 64;  // MAX_BLOCK_DIM_Z
    case 5:
      return 0x7fffffff;  // MAX_GRID_DIM_X
    case 6:
      return 65535;  // MAX_GRID_DIM_Y
    case 7:
      return 65535;  // MAX_GRID_DIM_Z
    case 8:
      return 48 << 10;  // MAX_SHARED_MEMORY_PER_BLOCK
    case 9:
      return 64 << 10;  // TOTAL_CONSTANT_MEMORY
    case 10:
      return 32;  // WARP_SIZE
    case 11:
      return 0x7fffffff;  // MAX_PITCH
    case 12:
      return 65536;  // MAX_REGISTERS_PER_BLOCK
    case 13:
      return device.clock_khz;
    case 14:
      return 512;  // TEXTURE_ALIGNMENT
    case 15:
      return 1;  // GPU_OVERLAP
    case 16:
      return int(device.multiprocessors);
    case 17:
      return 0;  // KERNEL_EXEC_TIMEOUT
    case 18:
      return 0;  // INTEGRATED
    case 19:
      return 1;  // CAN_MAP_HOST_MEMORY
    case 20:
      return 0;  // COMPUTE_MODE: default
    case 21:
      return 131072;  // MAXIMUM_TEXTURE1D_WIDTH
    case 30:
      return 512;  // SURFACE_ALIGNMENT
    case 31:
      return 1;  // CONCURRENT_KERNELS
    case 32:
      return 1;  // ECC_ENABLED
    case 33:
      return int(ordinal) + 1;  // PCI_BUS_ID
    case 34:
      return 0;  // PCI_DEVICE_ID
    case 35:
      return 0;  // TCC_DRIVER
    case 36:
      return device.memory_clock_khz;
    case 37:
      return device.bus_bits;
    case 38:
      return device.l2_bytes;
    case 39:
      return int(device.multiprocessor_threads);
    case 40:
      return 3;  // ASYNC_ENGINE_COUNT
    case 41:
      return 1;  // UNIFIED_ADDRESSING
    case 50:
      return 0;  // PCI_DOMAIN_ID
    case 51:
      return 32;  // TEXTURE_PITCH_ALIGNMENT
    case 75:
      return device.major;
    case 76:
      return device.minor;
    case 78:
      return 1;  // STREAM_PRIORITIES_SUPPORTED
    case 79:
      return 1;  // GLOBAL_L1_CACHE_SUPPORTED
    case 80:
      return 1;  // LOCAL_L1_CACHE_SUPPORTED
    case 81:
      return int(device.multiprocessor_shared_bytes);
    case 82:
      return 65536;  // MAX_REGISTERS_PER_MULTIPROCESSOR
    case 83:
      return 1;  // MANAGED_MEMORY
    case 84:
      return 0;  // MULTI_GPU_BOARD
    case 85:
      return int(ordinal);  // MULTI_GPU_BOARD_GROUP_ID
    case 86:
      return 1;  // HOST_NATIVE_ATOMIC_SUPPORTED
    case 87:
      return 2;  // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    case 88:
      return 0;  // PAGEABLE_MEMORY_ACCESS: memory of the process is registered first
    case 89:
      return 1;  // CONCURRENT_MANAGED_ACCESS
    case 90:
      return 1;  // COMPUTE_PREEMPTION_SUPPORTED
    case 91:
      return 1;  // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    case 95:
      return 1;  // COOPERATIVE_LAUNCH
    case 97:
      return int(device.block_shared_bytes);  // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    case 99:
      return 1;  // HOST_REGISTER_SUPPORTED
    case 100:
      return 0;  // PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
    case 101:
      return 1;  // DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
    case 102:
      return 1;  // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    case 103:
      return 1;  // HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    case 106:
      return int(device.multiprocessor_blocks);
    case 108:
      return device.persisting_l2_bytes;  // MAX_PERSISTING_L2_CACHE_SIZE
    case 109:
      return device.major >= 8 ? 128 << 20 : 0;  // MAX_ACCESS_POLICY_WINDOW_SIZE
    case 111:
      return int(device.multiprocessor_shared_bytes - device.block_shared_bytes);  // RESERVED_SHARED_MEMORY_PER_BLOCK
    case 115:
      return 1;  // MEMORY_POOLS_SUPPORTED
    case 120:
      return is_hopper;  // CLUSTER_LAUNCH
    default:
      return 0;
  }
}

}  // namespace ropewalk::driver
