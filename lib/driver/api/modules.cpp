// Modules and their kernels.
#include <cstring>

#include "lib/base/error.h"
#include "lib/driver/api/api.h"
#include "lib/driver/api/jit_options.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

RW_CUDA cuModuleLoadDataEx(Module** module, const void* image, unsigned count, int* options, void** values) {
  const PublicCall name("cuModuleLoadDataEx");
  RW_CALL(call);
  if (!has_list(options, count) || !has_list(values, count)) return invalid_value;
  const Result result = load_module(*call, *call.context(), image, module);
  JitOptions{count, options, values}.write_log(result == Result::Success ? "" : last_image_error());
  return answer(result);
}

RW_CUDA cuModuleLoadData(Module** module, const void* image) {
  const PublicCall name("cuModuleLoadData");
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

RW_CUDA cuModuleLoadFatBinary(Module** module, const void* image) { return cuModuleLoadData(module, image); }

RW_CUDA cuModuleLoad(Module** module, const char* path) {
  const PublicCall name("cuModuleLoad");
  RW_CALL(call);
  RW_NEEDS(module, path);
  return answer(load_module_file(*call, *call.context(), path, module));
}

RW_CUDA cuModuleUnload(Module* module) {
  RW_CALL(call);
  return call.context()->modules.remove(module) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuModuleGetFunction(Kernel** kernel, Module* module, const char* name) {
  RW_CALL(call);
  if (!kernel || !name) return invalid_value;
  if (!call.context()->modules.has(module)) return answer(Result::InvalidHandle);
  return answer(find_kernel(*call, *module, name, kernel));
}

RW_CUDA cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, Module* module, const char* name) {
  RW_CALL(call);
  if (!name) return invalid_value;
  if (!call.context()->modules.has(module)) return answer(Result::InvalidHandle);
  Allocation* variable = nullptr;
  if (const Result result = find_variable(*call, *module, name, &variable); result != Result::Success) {
    return answer(result);
  }
  if (address) *address = variable->address;
  if (bytes) *bytes = variable->bytes;
  return success;
}

}  // namespace ropewalk::driver
