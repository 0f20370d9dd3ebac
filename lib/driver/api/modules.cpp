// Modules and their kernels.
#include <cstring>

#include "lib/base/error.h"
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

RW_CUDA cuModuleLoadData(Module** module, const void* image) {
  RW_CALL(call);
  return answer(load_module(*call, *call.context(), image, module));
}

RW_CUDA cuModuleLoadDataEx(Module** module, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(module, image);
}

RW_CUDA cuModuleLoadFatBinary(Module** module, const void* image) { return cuModuleLoadData(module, image); }

RW_CUDA cuModuleLoad(Module** module, const char* path) {
  RW_CALL(call);
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
