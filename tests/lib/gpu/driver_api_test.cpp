// What lib/gpu/driver_api.h declares, compared with the toolkit's own header where there is one.
#include "lib/gpu/driver_api.h"

#include <cuda.h>
#include <gtest/gtest.h>

namespace ropewalk::gpu {
namespace {

TEST(DriverApi, numbers_are_those_of_the_toolkit) {
  const std::pair<int, int> pairs[] = {
      {success, CUDA_SUCCESS},
      {invalid_value, CUDA_ERROR_INVALID_VALUE},
      {out_of_memory, CUDA_ERROR_OUT_OF_MEMORY},
      {not_initialized, CUDA_ERROR_NOT_INITIALIZED},
      {no_device, CUDA_ERROR_NO_DEVICE},
      {invalid_device, CUDA_ERROR_INVALID_DEVICE},
      {invalid_context, CUDA_ERROR_INVALID_CONTEXT},
      {no_binary, CUDA_ERROR_NO_BINARY_FOR_GPU},
      {invalid_ptx, CUDA_ERROR_INVALID_PTX},
      {unsupported_ptx, CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
      {invalid_handle, CUDA_ERROR_INVALID_HANDLE},
      {not_found, CUDA_ERROR_NOT_FOUND},
      {illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS},
      {launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
      {launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT},
      {device_assert, CUDA_ERROR_ASSERT},
      {hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR},
      {illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION},
      {misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS},
      {invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE},
      {invalid_pc, CUDA_ERROR_INVALID_PC},
      {launch_failed, CUDA_ERROR_LAUNCH_FAILED},
      {not_supported, CUDA_ERROR_NOT_SUPPORTED},
      {jit_error_log_buffer, CU_JIT_ERROR_LOG_BUFFER},
      {jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
      {attribute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {attribute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {attribute_maps_memory, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED},
      {function_max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
      {granularity_minimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM},
      {MemoryLocation::on_device, CU_MEM_LOCATION_TYPE_DEVICE},
      {MemoryProperties::pinned, CU_MEM_ALLOCATION_TYPE_PINNED},
      {MemoryAccess::read_and_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
  };
  for (const auto& [ours, theirs] : pairs) EXPECT_EQ(ours, theirs);
  EXPECT_EQ(reinterpret_cast<CUstream>(stream_per_thread()), CU_STREAM_PER_THREAD);
}

TEST(DriverApi, structures_lie_as_those_of_the_toolkit) {
  EXPECT_EQ(sizeof(MemoryProperties), sizeof(CUmemAllocationProp));
  EXPECT_EQ(offsetof(MemoryProperties, location), offsetof(CUmemAllocationProp, location));
  EXPECT_EQ(offsetof(MemoryProperties, windows_data), offsetof(CUmemAllocationProp, win32HandleMetaData));
  EXPECT_EQ(offsetof(MemoryProperties, compression), offsetof(CUmemAllocationProp, allocFlags));
  EXPECT_EQ(offsetof(MemoryLocation, number), offsetof(CUmemLocation, id));
  EXPECT_EQ(sizeof(MemoryAccess), sizeof(CUmemAccessDesc));
  EXPECT_EQ(offsetof(MemoryAccess, flags), offsetof(CUmemAccessDesc, flags));
  EXPECT_EQ(sizeof(MemoryHandle), sizeof(CUmemGenericAllocationHandle));
  EXPECT_EQ(sizeof(DevicePointer), sizeof(CUdeviceptr));
}

}  // namespace
}  // namespace ropewalk::gpu
