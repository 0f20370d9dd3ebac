// Libraries: modules that belong to no context. Here they live in the primary one.
#include "lib/driver/api/api.h"
#include "lib/driver/api/jit_options.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

namespace {

// The context that a library lives in: the current one's, so that its memory is that device's.
Context& home(Held& held) {
  Context* const current = held->contexts().current();
  return held->contexts().primary(current ? current->device : 0);
}

Context* owner_of(Held& held, const Module* library) {
  for (Context* context : held->contexts().all()) {
    if (context->modules.has(library)) return context;
  }
  return nullptr;
}
#define RW_LIBRARY(library) \
  Held held;                \
  if (!owner_of(held, library)) return answer(Result::InvalidHandle)

}  // namespace

RW_CUDA cuLibraryLoadData(Module** library, const void* image, int* options, void** values, unsigned count, int*,
                          void**, unsigned) {
  const PublicCall name("cuLibraryLoadData");
  Held held;
  if (!has_list(options, count) || !has_list(values, count)) return invalid_value;
  const Result result = load_module(*held, home(held), image, library);
  JitOptions{count, options, values}.write_log(result == Result::Success ? "" : last_image_error());
  return answer(result);
}

RW_CUDA cuLibraryLoadFromFile(Module** library, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  const PublicCall name("cuLibraryLoadFromFile");
  Held held;
  RW_NEEDS(library, path);
  return answer(load_module_file(*held, home(held), path, library));
}

RW_CUDA cuLibraryUnload(Module* library) {
  RW_LIBRARY(library);
  owner_of(held, library)->modules.remove(library);
  return success;
}

RW_CUDA cuLibraryGetKernel(Kernel** kernel, Module* library, const char* name) {
  RW_LIBRARY(library);
  return kernel && name ? answer(find_kernel(*held, *library, name, kernel)) : invalid_value;
}

RW_CUDA cuLibraryGetKernelCount(unsigned* count, Module* library) {
  RW_LIBRARY(library);
  RW_NEEDS(count);
  std::vector<Kernel*> kernels;
  const Result result = list_kernels(*held, *library, kernels);
  *count = unsigned(kernels.size());
  return answer(result);
}

RW_CUDA cuLibraryEnumerateKernels(Kernel** out, unsigned count, Module* library) {
  RW_LIBRARY(library);
  RW_NEEDS(out);
  std::vector<Kernel*> kernels;
  const Result result = list_kernels(*held, *library, kernels);
  for (unsigned n = 0; n < count && n < kernels.size(); ++n) out[n] = kernels[n];
  return answer(result);
}

RW_CUDA cuLibraryGetModule(Module** module, Module* library) {
  RW_LIBRARY(library);
  RW_NEEDS(module);
  *module = library;
  return success;
}

RW_CUDA cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, Module* library, const char* name) {
  RW_LIBRARY(library);
  Allocation* variable = nullptr;
  const Result result = name ? find_variable(*held, *library, name, &variable) : Result::InvalidValue;
  if (result != Result::Success) return answer(result);
  if (address) *address = variable->address;
  if (bytes) *bytes = variable->bytes;
  return success;
}
// Functions that the host and the device both call have no address of their own here.
RW_CUDA cuLibraryGetUnifiedFunction(void** function, Module* library, const char* name) {
  RW_LIBRARY(library);
  RW_NEEDS(function, name);
  return invalid_value;
}
RW_CUDA cuLibraryGetManaged(DevicePointer* address, std::size_t* bytes, Module* library, const char* name) {
  return cuLibraryGetGlobal(address, bytes, library, name);
}

RW_CUDA cuKernelGetFunction(Kernel** function, Kernel* kernel) {
  Held held;
  if (!held->kernels.contains(kernel)) return answer(Result::InvalidHandle);
  RW_NEEDS(function);
  *function = kernel;
  return success;
}

RW_CUDA cuKernelGetLibrary(Module** library, Kernel* kernel) {
  Held held;
  if (!held->kernels.contains(kernel)) return answer(Result::InvalidHandle);
  RW_NEEDS(library);
  *library = &kernel->module;
  return success;
}

// Of modules, which are the same here.

RW_CUDA cuModuleGetFunctionCount(unsigned* count, Module* module) { return cuLibraryGetKernelCount(count, module); }
RW_CUDA cuModuleEnumerateFunctions(Kernel** out, unsigned count, Module* module) {
  return cuLibraryEnumerateKernels(out, count, module);
}
RW_CUDA cuModuleGetLoadingMode(int* mode) {
  RW_NEEDS(mode);
  *mode = 2;  // CU_MODULE_LAZY_LOADING
  return success;
}

}  // namespace ropewalk::driver
