// What kernels need, and how many of their blocks a device holds.
#include <algorithm>

#include "lib/driver/api/api.h"
#include "lib/driver/function_facts.h"

namespace ropewalk::driver {

namespace {

int known(const Call& call, const Kernel* kernel) {
  return call->kernels.contains(kernel) ? success : answer(Result::InvalidHandle);
}
#define RW_KERNEL(kernel) \
  RW_CALL(call);          \
  if (const int no = known(call, kernel)) return no

}  // namespace

RW_CUDA cuFuncGetAttribute(int* value, int attribute, Kernel* kernel) {
  RW_KERNEL(kernel);
  return value ? answer(function_attribute_of(*call, *kernel, attribute, value)) : invalid_value;
}
RW_CUDA cuKernelGetAttribute(int* value, int attribute, Kernel* kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}

RW_CUDA cuFuncSetAttribute(Kernel* kernel, int attribute, int value) {
  RW_KERNEL(kernel);
  return answer(set_function_attribute(*call, *kernel, attribute, value));
}
RW_CUDA cuKernelSetAttribute(int attribute, int value, Kernel* kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}

RW_CUDA cuFuncSetCacheConfig(Kernel* kernel, int) {
  RW_KERNEL(kernel);
  return success;
}
RW_CUDA cuKernelSetCacheConfig(Kernel* kernel, int, int) { return cuFuncSetCacheConfig(kernel, 0); }
RW_CUDA cuFuncSetSharedMemConfig(Kernel* kernel, int) { return cuFuncSetCacheConfig(kernel, 0); }

RW_CUDA cuFuncGetModule(Module** module, Kernel* kernel) {
  RW_KERNEL(kernel);
  RW_NEEDS(module);
  *module = &kernel->module;
  return success;
}

RW_CUDA cuFuncGetName(const char** name, Kernel* kernel) {
  RW_KERNEL(kernel);
  RW_NEEDS(name);
  *name = kernel->entry.name.c_str();
  return success;
}
RW_CUDA cuKernelGetName(const char** name, Kernel* kernel) { return cuFuncGetName(name, kernel); }

RW_CUDA cuFuncGetParamInfo(Kernel* kernel, std::size_t number, std::size_t* offset, std::size_t* bytes) {
  RW_KERNEL(kernel);
  if (number >= kernel->parameters.size()) return invalid_value;
  if (offset) *offset = kernel->parameters[number].offset;
  if (bytes) *bytes = kernel->parameters[number].bytes;
  return success;
}
RW_CUDA cuKernelGetParamInfo(Kernel* kernel, std::size_t number, std::size_t* offset, std::size_t* bytes) {
  return cuFuncGetParamInfo(kernel, number, offset, bytes);
}

RW_CUDA cuFuncIsLoaded(int* state, Kernel* kernel) {
  RW_KERNEL(kernel);
  RW_NEEDS(state);
  *state = 1;
  return success;
}
RW_CUDA cuFuncLoad(Kernel* kernel) {
  RW_KERNEL(kernel);
  return success;
}

RW_CUDA cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int threads,
                                                             std::size_t shared_bytes, unsigned) {
  RW_KERNEL(kernel);
  if (!blocks || threads <= 0) return invalid_value;
  *blocks = int(resident_blocks(*call, *kernel, u32(threads), shared_bytes));
  return success;
}
RW_CUDA cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                    std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared_bytes, 0);
}

// The block with which a multiprocessor holds the most threads; of equal ones the largest.
RW_CUDA cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel* kernel, std::size_t (*shared_of)(int),
                                                  std::size_t shared_bytes, int most, unsigned) {
  RW_KERNEL(kernel);
  RW_NEEDS(grid, block);
  int limit = int(most_threads(*kernel));
  if (most > 0) limit = std::min(limit, most);
  u32 best_threads = 0;
  *grid = *block = 0;
  for (int threads = (limit + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int size = std::min(threads, limit);
    const u32 blocks = resident_blocks(*call, *kernel, u32(size), shared_of ? shared_of(size) : shared_bytes);
    if (blocks * u32(size) <= best_threads) continue;
    best_threads = blocks * u32(size);
    *block = size;
    *grid = int(blocks * call->device().multiprocessors);
  }
  return success;
}
RW_CUDA cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel, std::size_t (*shared_of)(int),
                                         std::size_t shared_bytes, int most) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_of, shared_bytes, most, 0);
}

RW_CUDA cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, Kernel* kernel, int blocks, int threads) {
  RW_KERNEL(kernel);
  if (!bytes || blocks <= 0 || threads <= 0) return invalid_value;
  const u64 reserved = call->device().major >= 8 ? 1024 : 0;
  const u64 each = call->device().multiprocessor_shared_bytes / u64(blocks);
  const u64 taken = reserved + kernel->static_shared_bytes;
  *bytes = each > taken ? std::min(each - taken, u64(kernel->max_dynamic_shared_bytes)) : 0;
  return success;
}

}  // namespace ropewalk::driver
