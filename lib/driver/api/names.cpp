// Functions by name, as programs ask for those of the version that they were built for.
#include <dlfcn.h>

#include <string>
#include <string_view>

#include "lib/driver/api/api.h"
#include "lib/driver/api/first_versions.h"

namespace ropewalk::driver {

namespace {

// From which version on a function has another form. Where nothing stands here, _v2 is of before all that count.
struct Form {
  std::string_view name;
  int version;
  std::string_view form;
};
constexpr Form forms[] = {
    {"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxGetDevice", 0, "cuCtxGetDevice"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
    {"cuCtxSynchronize", 0, "cuCtxSynchronize"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuEventElapsedTime", 0, "cuEventElapsedTime"},
    {"cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGraphAddNode", 0, "cuGraphAddNode"},
    {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
    {"cuGraphInstantiate", 0, "cuGraphInstantiate_v2"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuMemAdvise", 0, "cuMemAdvise"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemcpyBatchAsync", 0, "cuMemcpyBatchAsync"},
    {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
    {"cuMemcpy3DBatchAsync", 0, "cuMemcpy3DBatchAsync"},
    {"cuMemcpy3DBatchAsync", 13000, "cuMemcpy3DBatchAsync_v2"},
    {"cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCtx", 0, "cuStreamGetCtx"},
};

void* find(const std::string& name) {
  static void* const library = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&find), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return library ? dlsym(library, name.c_str()) : nullptr;
}

void* find_form(const std::string& name, int version) {
  std::string_view best;
  for (const Form& form : forms) {
    if (form.name == name && form.version <= version) best = form.form;
  }
  if (!best.empty()) return find(std::string(best));
  void* const newer = find(name + "_v2");
  return newer ? newer : find(name);
}

}  // namespace

RW_CUDA cuGetProcAddress_v2(const char* name, void** function, int version, u64, int* status) {
  if (!name || !function || version > driver_version) return invalid_value;
  const bool is_too_new = version < first_version_of(name);
  *function = std::string_view(name).starts_with("cu") && !is_too_new ? find_form(name, version) : nullptr;
  // CUdriverProcAddressQueryResult
  constexpr int found = 0, no_such_symbol = 1, version_not_sufficient = 2;
  if (status) *status = *function ? found : is_too_new ? version_not_sufficient : no_such_symbol;
  // The status is all that says so, where it is asked for.
  return *function || status ? success : answer(Result::NotFound);
}

RW_CUDA cuGetProcAddress(const char* name, void** function, int version, u64 flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

RW_CUDA cuGetExportTable(const void** table, const void*) {
  if (table) *table = nullptr;
  Held()->no_private_tables();
  return answer(Result::NotSupported);
}

RW_CUDA cuProfilerStart() { return success; }
RW_CUDA cuProfilerStop() { return success; }

}  // namespace ropewalk::driver
