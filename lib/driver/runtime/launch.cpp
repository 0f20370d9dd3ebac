// Launches, and what programs ask of kernels.
#include <cstring>
#include <vector>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"
#include "lib/driver/runtime/versions.h"

namespace ropewalk::driver::runtime {

namespace {

struct Configuration {
  Dim grid, block;
  std::size_t shared_bytes;
  void* stream;
};
thread_local std::vector<Configuration> configurations;  // of <<<>>> that were pushed and not popped

// The driver says of sizes that no device takes only that they are a wrong value. Of others, as shared memory and
// __launch_bounds__, the runtime says the same.
int as_launch(int error, const Dim& grid, const Dim& block) {
  if (error != invalid_value) return error;
  const u64 sizes[] = {u64(block.x) * block.y * block.z, block.x, block.y, block.z, grid.x, grid.y, grid.z};
  for (int n = 0; n < 7; ++n) {
    int most = 0;
    constexpr int first = 1;  // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK; block.x to grid.z come behind it
    ROPEWALK_DRIVER(cuDeviceGetAttribute, &most, first + n, current_device());
    if (!sizes[n] || sizes[n] > u64(most)) return version_errors.impossible_sizes;
  }
  return error;
}

int launch(const void* symbol, const Configuration& at, void** arguments, bool is_cooperative) {
  void* function = nullptr;
  if (const int error = find_function(symbol, &function)) return error;
  const auto& [grid, block, bytes, stream] = at;
  const unsigned shared = unsigned(bytes);
  const int error = is_cooperative ? ROPEWALK_DRIVER(cuLaunchCooperativeKernel, function, grid.x, grid.y, grid.z,
                                                     block.x, block.y, block.z, shared, stream, arguments)
                                   : ROPEWALK_DRIVER(cuLaunchKernel, function, grid.x, grid.y, grid.z, block.x, block.y,
                                                     block.z, shared, stream, arguments, nullptr);
  return as_launch(error, grid, block);
}

DriverLaunchConfig driver_config(const LaunchConfig& config) {
  const auto& [grid, block, shared_bytes, stream, attributes, count] = config;
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, unsigned(shared_bytes), stream, attributes, count};
}

// Runs `body` with the driver's function. has_what_it_needs: as for run.
template <class Body>
int with_function(const char* name, bool has_what_it_needs, const void* symbol, const Body& body) {
  return run(name, has_what_it_needs, [&] {
    void* function = nullptr;
    const int error = find_function(symbol, &function);
    return error ? error : body(function);
  });
}

template <class Body>
int with_function(const char* name, const void* symbol, const Body& body) {
  return with_function(name, true, symbol, body);
}

}  // namespace

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;

extern "C" ROPEWALK_SHOWN unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared_bytes,
                                                               void* stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

extern "C" ROPEWALK_SHOWN int __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared_bytes,
                                                         void* stream) {
  if (configurations.empty()) return remember(missing_configuration);
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  std::memcpy(stream, &last.stream, sizeof last.stream);
  return success;
}

ROPEWALK_RUNTIME(cudaLaunchKernel, const void* symbol, Dim grid, Dim block, void** arguments, std::size_t shared_bytes,
                 void* stream) {
  return run(__func__, [&] { return launch(symbol, {grid, block, shared_bytes, stream}, arguments, false); });
}
ROPEWALK_PER_THREAD(cudaLaunchKernel, _ptsz);

ROPEWALK_RUNTIME(__cudaLaunchKernel, const void* kernel, Dim grid, Dim block, void** arguments,
                 std::size_t shared_bytes, void* stream) {
  return run("cudaLaunchKernel", [&] { return launch(kernel, {grid, block, shared_bytes, stream}, arguments, false); });
}
ROPEWALK_PER_THREAD(__cudaLaunchKernel, _ptsz);

ROPEWALK_RUNTIME(cudaLaunchCooperativeKernel, const void* symbol, Dim grid, Dim block, void** arguments,
                 std::size_t shared_bytes, void* stream) {
  return run(__func__, [&] { return launch(symbol, {grid, block, shared_bytes, stream}, arguments, true); });
}
ROPEWALK_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

ROPEWALK_RUNTIME(cudaLaunchKernelExC, const LaunchConfig* config, const void* symbol, void** arguments) {
  return with_function(__func__, has_all(config), symbol, [&](void* function) {
    const DriverLaunchConfig same = driver_config(*config);
    return as_launch(ROPEWALK_DRIVER(cuLaunchKernelEx, &same, function, arguments, nullptr), config->grid,
                     config->block);
  });
}
ROPEWALK_PER_THREAD(cudaLaunchKernelExC, _ptsz);

ROPEWALK_RUNTIME(cudaLaunchHostFunc, void* stream, void (*function)(void*), void* data) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuLaunchHostFunc, stream, function, data); });
}
ROPEWALK_PER_THREAD(cudaLaunchHostFunc, _ptsz);

ROPEWALK_RUNTIME(cudaFuncGetAttributes, FunctionAttributes* to, const void* symbol) {
  return with_function(__func__, has_all(to), symbol, [&](void* function) {
    // In the order of CUfunction_attribute.
    int values[16] = {};
    for (int n = 0; n < 16; ++n) {
      if (const int error = ROPEWALK_DRIVER(cuFuncGetAttribute, &values[n], n, function); error && n < 10) return error;
    }
    const auto bytes = [&](int n) { return std::size_t(values[n]); };
    *to = {bytes(1),  bytes(2),   bytes(3),   values[0],  values[4],  values[5],  values[6],  values[7], values[8],
           values[9], values[10], values[11], values[12], values[13], values[15], values[14], {}};
    return int(success);
  });
}

ROPEWALK_RUNTIME(cudaFuncSetAttribute, const void* symbol, int attribute, int value) {
  return with_function(__func__, symbol,
                       [&](void* function) { return ROPEWALK_DRIVER(cuFuncSetAttribute, function, attribute, value); });
}

ROPEWALK_RUNTIME(cudaFuncSetCacheConfig, const void* symbol, int) {
  return with_function(__func__, symbol, [](void*) { return int(success); });
}

ROPEWALK_RUNTIME(cudaFuncSetSharedMemConfig, const void* symbol, int) {
  return with_function(__func__, symbol, [](void*) { return int(success); });
}

ROPEWALK_RUNTIME(cudaFuncGetParamInfo, const void* symbol, std::size_t number, std::size_t* offset,
                 std::size_t* bytes) {
  return with_function(__func__, symbol, [&](void* function) {
    return ROPEWALK_DRIVER(cuFuncGetParamInfo, function, number, offset, bytes);
  });
}

ROPEWALK_RUNTIME(cudaFuncGetName, const char** name, const void* symbol) {
  return with_function(__func__, has_all(name), symbol, [&](void*) {
    thread_local std::string kept;
    kept = name_of_function(symbol);
    *name = kept.c_str();
    return int(success);
  });
}

ROPEWALK_RUNTIME(cudaGetFuncBySymbol, void** to, const void* symbol) {
  return with_function(__func__, has_all(to), symbol, [&](void* function) {
    *to = function;
    return int(success);
  });
}

ROPEWALK_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int* blocks, const void* symbol, int threads,
                 std::size_t shared_bytes, unsigned flags) {
  return with_function(__func__, symbol, [&](void* function) {
    return ROPEWALK_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, function, threads,
                           shared_bytes, flags);
  });
}

ROPEWALK_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, const void* symbol, int threads,
                 std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, threads, shared_bytes, 0);
}

ROPEWALK_RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock, std::size_t* bytes, const void* symbol, int blocks,
                 int threads) {
  return with_function(__func__, symbol, [&](void* function) {
    return ROPEWALK_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, bytes, function, blocks, threads);
  });
}

ROPEWALK_RUNTIME(cudaOccupancyMaxPotentialClusterSize, int* size, const void* symbol, const LaunchConfig* config) {
  return with_function(__func__, has_all(size, config), symbol, [&](void* function) {
    const DriverLaunchConfig same = driver_config(*config);
    return ROPEWALK_DRIVER(cuOccupancyMaxPotentialClusterSize, size, function, &same);
  });
}

ROPEWALK_RUNTIME(cudaOccupancyMaxActiveClusters, int* count, const void* symbol, const LaunchConfig* config) {
  return with_function(__func__, has_all(count, config), symbol, [&](void* function) {
    const DriverLaunchConfig same = driver_config(*config);
    return ROPEWALK_DRIVER(cuOccupancyMaxActiveClusters, count, function, &same);
  });
}
