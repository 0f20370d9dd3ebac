// CUPTI's activity record of a kernel, as far as it is read. All versions from CUpti_ActivityKernel3 (CUDA 7) to
// CUpti_ActivityKernel10 (CUDA 13) begin with these members; a test holds each of them against the toolkit's headers.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::gpu::cupti {

// CUpti_ActivityKind, CUpti_ActivityFlag
constexpr int concurrent_kernel_activity = 10;
constexpr u32 flush_forced = 1;

struct KernelRecord {
  u32 kind;
  u8 cache, shared_configuration;
  u16 registers;  // of a thread
  u32 partitioned_requested, partitioned_executed;
  u64 start, end, completed;  // ns
  u32 device, context, stream;
  u32 grid[3], block[3], static_shared_bytes, dynamic_shared_bytes;
  u32 local_bytes, local_total;  // of a thread; of all
  u32 correlation;
  i64 grid_id;
  const char* name;
};

}  // namespace ropewalk::gpu::cupti
