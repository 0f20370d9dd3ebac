// What the recorder itself asks of the driver. Any of them may be missing in an old driver.
#pragma once
#include <cstddef>
#include <string>

#include "lib/gpu/driver_api.h"
#include "lib/trace/recorder/call_parameters.h"

namespace ropewalk::trace {

// X(member, symbol, parameters)
#define ROPEWALK_DRIVER_QUESTIONS(X)                                                  \
  X(driver_version, "cuDriverGetVersion", (int* version))                             \
  X(function_parameter, "cuFuncGetParamInfo",                                         \
    (Handle function, std::size_t number, std::size_t * offset, std::size_t * bytes)) \
  X(kernel_parameter, "cuKernelGetParamInfo",                                         \
    (Handle kernel, std::size_t number, std::size_t * offset, std::size_t * bytes))   \
  X(function_module, "cuFuncGetModule", (Handle * module, Handle function))           \
  X(stream_synchronize, "cuStreamSynchronize", (Handle stream))                       \
  X(stream_is_capturing, "cuStreamIsCapturing", (Handle stream, int* status))         \
  X(context_synchronize, "cuCtxSynchronize", ())                                      \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void* to, Address from, std::size_t bytes))     \
  X(error_name, "cuGetErrorName", (gpu::Result error, const char** name))             \
  X(error_text, "cuGetErrorString", (gpu::Result error, const char** text))

class DriverQuestions {
 public:
  // Finds them in the driver that the process has loaded.
  DriverQuestions();

#define ROPEWALK_DECLARE(member, symbol, parameters) gpu::Result(*member) parameters = nullptr;
  ROPEWALK_DRIVER_QUESTIONS(ROPEWALK_DECLARE)
#undef ROPEWALK_DECLARE

  // "CUDA_ERROR_ILLEGAL_ADDRESS"; a number where the driver has no name for it.
  std::string name_of(gpu::Result error) const;
  std::string text_of(gpu::Result error) const;
  // "12.4"; empty where it cannot be asked.
  std::string version() const;
};

}  // namespace ropewalk::trace
