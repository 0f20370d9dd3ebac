// The CUDA driver's symbols for machines without a GPU, found where ROPEWALK_CUDA_DRIVER is "self": it insists on the driver's order of calls, runs
// launches on our machine, and fails where it is told to.
//
// ROPEWALK_STAND_IN_FAIL=cuLaunchKernel:719 makes that call return that error; :hang makes it wait for ever and :die
// ends the process. ROPEWALK_STAND_IN_DEVICES is the number of devices (1). A kernel that leaves its allocations, is
// misaligned or asserts leaves the error that the driver would, at the next synchronisation and from then on. What
// kernels store into module-scope variables does not come back.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/gpu/driver_api.h"
#include "lib/machine/machine.h"
#include "lib/ptx/read.h"

using namespace ropewalk;
using namespace ropewalk::gpu;

namespace {

constexpr Result invalid_value = 1, not_initialized = 3, invalid_device = 101, invalid_context = 201, not_found = 500,
                 invalid_handle = 400;

struct Module {
  std::shared_ptr<const ptx::Module> ptx;
  std::map<std::string, DevicePointer> variables;
};
struct Function {
  Module* module;
  std::string name;
};
struct Allocation {
  std::vector<std::byte> bytes;
  std::string variable;  // of a module; empty: an allocation of the program
  Module* module = nullptr;
};

bool is_initialized = false, is_retained = false, is_current = false;
Result lasting_error = success;
DevicePointer next_address = 0x7f2000000000;
std::map<DevicePointer, Allocation> allocations;
std::set<Module*> modules;
std::set<Function*> functions;
std::set<const void*> streams;
int device_total = 1;

// What the environment says about this call: an error, or something worse.
Result demanded(const std::string& call) {
  const char* text = std::getenv("ROPEWALK_STAND_IN_FAIL");
  const std::string demand = text ? text : "";
  if (!demand.starts_with(call + ":")) return success;
  const std::string how = demand.substr(call.size() + 1);
  if (how == "hang") {
    for (;;) pause();
  }
  if (how == "die") std::abort();
  return std::atoi(how.c_str());
}

enum class Needs { Nothing, Driver, Context };

// What stands before every call: the order, errors that last, what was demanded.
Result enter(const char* call, Needs needs) {
  if (needs != Needs::Nothing && !is_initialized) return not_initialized;
  if (needs == Needs::Context && !is_current) return invalid_context;
  if (lasting_error != success && needs == Needs::Context) return lasting_error;
  return demanded(call);
}

DevicePointer allocate(Allocation allocation) {
  const DevicePointer address = next_address;
  next_address += (allocation.bytes.size() / 256 + 1) * 256 + (1 << 20);
  allocations.emplace(address, std::move(allocation));
  return address;
}

// The allocation that holds the bytes; end() where none does.
auto holder_of(DevicePointer address, std::size_t bytes) {
  auto at = allocations.upper_bound(address);
  if (at == allocations.begin()) return allocations.end();
  --at;
  return address + bytes <= at->first + at->second.bytes.size() ? at : allocations.end();
}

bool is_in_memory(const ptx::Variable& variable) {
  return (variable.space == ptx::Space::Global || variable.space == ptx::Space::Const) && variable.bytes() > 0;
}

void place_variables(Module& module) {
  for (const ptx::Variable& variable : module.ptx->variables) {
    if (!is_in_memory(variable)) continue;
    Allocation allocation{std::vector<std::byte>(variable.bytes()), variable.name, &module};
    std::memcpy(allocation.bytes.data(), variable.initial.data(), std::min<u64>(variable.initial.size(), variable.bytes()));
    module.variables[variable.name] = allocate(std::move(allocation));
  }
}

// A launch of the machine: each allocation is a tensor of bytes, each word that is an address in one points there.
class Translation {
 public:
  Translation(const Function& function, Dim3 grid, Dim3 block, u64 shared, void** parameters) {
    launch.module = function.module->ptx;
    launch.entry = function.name;
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = shared;
    for (auto& [address, allocation] : allocations) {
      if (allocation.module) continue;
      auto values = std::make_shared<Array>();
      values->dtype = Dtype::U8;
      values->shape = {i64(allocation.bytes.size())};
      values->bytes.assign(allocation.bytes.begin(), allocation.bytes.end());
      LaunchTensor tensor;
      tensor.name = "allocation";
      tensor.dtype = Dtype::U8;
      tensor.shape = values->shape;
      tensor.strides = {1};
      tensor.init = Given{values, ""};
      numbers_[address] = u32(launch.tensors.size());
      launch.tensors.push_back(std::move(tensor));
    }
    const ptx::Function& entry = *launch.module->entry(function.name);
    for (u32 i = 0; i < entry.parameter_count; ++i) add_parameter(entry.parameter(i), parameters[i]);
    for (const auto& [name, address] : function.module->variables) add_variable(name, allocations.at(address).bytes);
  }

  void copy_back(const Outcome& outcome) const {
    for (const auto& [address, number] : numbers_) {
      std::vector<std::byte>& bytes = allocations.at(address).bytes;
      std::memcpy(bytes.data(), outcome.tensors[number].bytes, bytes.size());
    }
  }

  Launch launch;

 private:
  using Part = std::variant<TensorArgument, ScalarArgument, NullArgument>;

  Part part_of(const std::byte* at, u64 bytes) const {
    u64 bits = 0;
    std::memcpy(&bits, at, bytes);
    if (bytes == 8) {
      const auto holder = holder_of(bits, 0);
      if (holder != allocations.end() && !holder->second.module) {
        return TensorArgument{numbers_.at(holder->first), -1, i64(bits - holder->first)};
      }
    }
    return ScalarArgument{bytes == 8 ? Dtype::U64 : bytes == 4 ? Dtype::U32 : bytes == 2 ? Dtype::U16 : Dtype::U8, bits};
  }

  void add_parameter(const ptx::Variable& parameter, const void* value) {
    const auto* at = static_cast<const std::byte*>(value);
    if (parameter.extents.empty()) {
      const Part part = part_of(at, parameter.bytes());
      launch.arguments.push_back(std::visit([](const auto& one) { return Argument(one); }, part));
      return;
    }
    StructArgument whole{parameter.bytes(), {}};
    for (u64 i = 0; i < whole.bytes;) {
      const u64 size = whole.bytes - i >= 8 ? 8 : 1;
      whole.parts.push_back({i, part_of(at + i, size)});
      i += size;
    }
    launch.arguments.push_back(std::move(whole));
  }

  void add_variable(const std::string& name, const std::vector<std::byte>& bytes) {
    LaunchVariable variable{name, bytes, {}};
    for (u64 at = 0; at + 8 <= bytes.size(); at += 8) {
      u64 word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      const auto holder = word ? find(word) : allocations.end();
      if (holder == allocations.end()) continue;
      LaunchVariable::Pointer pointer;
      pointer.at = at;
      pointer.offset = i64(word - holder->first);
      if (holder->second.module) pointer.variable = holder->second.variable;
      else pointer.tensor = i32(numbers_.at(holder->first));
      variable.pointers.push_back(std::move(pointer));
    }
    launch.variables.push_back(std::move(variable));
  }

  // The allocation that an address was made from: the nearest one, as a table holds addresses before a tensor's start.
  static std::map<DevicePointer, Allocation>::iterator find(u64 word) {
    constexpr u64 near = 1 << 19;
    auto at = allocations.upper_bound(word + near);
    if (at == allocations.begin()) return allocations.end();
    --at;
    return word <= at->first + at->second.bytes.size() + near && word + near >= at->first ? at : allocations.end();
  }

  std::map<DevicePointer, u32> numbers_;
};

Result error_of(const Outcome& outcome) {
  for (const Finding& finding : outcome.findings) {
    switch (finding.rule) {
      case Rule::OutOfBoundsRead:
      case Rule::OutOfBoundsWrite:
        return illegal_address;
      case Rule::MisalignedAccess:
        return misaligned_address;
      case Rule::Hang:
        for (;;) pause();
      case Rule::DeviceAssert:
        return device_assert;
      default:
        break;
    }
  }
  return outcome.kind == OutcomeKind::NotRun ? illegal_instruction : success;
}

}  // namespace

extern "C" {

Result cuInit(unsigned flags) {
  const char* devices = std::getenv("ROPEWALK_STAND_IN_DEVICES");
  if (devices) device_total = std::atoi(devices);
  if (const Result error = enter("cuInit", Needs::Nothing)) return error;
  if (device_total == 0) return no_device;
  is_initialized = flags == 0;
  return flags == 0 ? success : invalid_value;
}

Result cuDriverGetVersion(int* version) {
  *version = 12040;
  return enter("cuDriverGetVersion", Needs::Nothing);
}

Result cuDeviceGetCount(int* count) {
  *count = device_total;
  return enter("cuDeviceGetCount", Needs::Driver);
}

Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  *device = ordinal;
  if (const Result error = enter("cuDeviceGet", Needs::Driver)) return error;
  return ordinal >= 0 && ordinal < device_total ? success : invalid_device;
}

Result cuDeviceGetName(char* name, int length, DeviceHandle) {
  std::strncpy(name, "stand-in (the machine)", std::size_t(length));
  return enter("cuDeviceGetName", Needs::Driver);
}

Result cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
  *value = attribute == attribute_major ? 9 : 0;
  return enter("cuDeviceGetAttribute", Needs::Driver);
}

Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle) {
  if (const Result error = enter("cuDevicePrimaryCtxRetain", Needs::Driver)) return error;
  is_retained = true;
  *context = reinterpret_cast<ContextHandle>(&is_retained);
  return success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
  is_current = is_retained = false;
  return enter("cuDevicePrimaryCtxRelease_v2", Needs::Driver);
}

Result cuCtxSetCurrent(ContextHandle context) {
  if (const Result error = enter("cuCtxSetCurrent", Needs::Driver)) return error;
  if (!is_retained || context != reinterpret_cast<ContextHandle>(&is_retained)) return invalid_context;
  is_current = true;
  return success;
}

Result cuModuleLoadDataEx(ModuleHandle* out, const void* image, unsigned options, int* names, void** values) {
  char* log = nullptr;
  std::size_t log_bytes = 0;
  for (unsigned i = 0; i < options; ++i) {
    if (names[i] == jit_error_log_buffer) log = static_cast<char*>(values[i]);
    if (names[i] == jit_error_log_bytes) log_bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  if (const Result error = enter("cuModuleLoadDataEx", Needs::Context)) return error;
  try {
    auto module = std::make_unique<Module>();
    module->ptx = std::make_shared<ptx::Module>(ptx::read(static_cast<const char*>(image), "ptx"));
    place_variables(*module);
    *out = reinterpret_cast<ModuleHandle>(module.get());
    modules.insert(module.release());
    return success;
  } catch (const InputError& error) {
    if (log && log_bytes) std::strncpy(log, error.what(), log_bytes);
    return invalid_ptx;
  }
}

Result cuModuleUnload(ModuleHandle handle) {
  if (const Result error = enter("cuModuleUnload", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (modules.erase(module) == 0) return invalid_handle;
  for (const auto& [name, address] : module->variables) allocations.erase(address);
  delete module;
  return success;
}

Result cuModuleGetFunction(FunctionHandle* out, ModuleHandle handle, const char* name) {
  if (const Result error = enter("cuModuleGetFunction", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (!modules.contains(module)) return invalid_handle;
  const ptx::Function* entry = module->ptx->entry(name);
  if (!entry || entry->name != name) return not_found;
  auto* function = new Function{module, name};
  functions.insert(function);
  *out = reinterpret_cast<FunctionHandle>(function);
  return success;
}

Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, ModuleHandle handle, const char* name) {
  if (const Result error = enter("cuModuleGetGlobal_v2", Needs::Context)) return error;
  auto* module = reinterpret_cast<Module*>(handle);
  if (!modules.contains(module)) return invalid_handle;
  const auto at = module->variables.find(name);
  if (at == module->variables.end()) return not_found;
  *address = at->second;
  *bytes = allocations.at(at->second).bytes.size();
  return success;
}

Result cuFuncSetAttribute(FunctionHandle, int, int) { return enter("cuFuncSetAttribute", Needs::Context); }

Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  if (const Result error = enter("cuMemAlloc_v2", Needs::Context)) return error;
  if (bytes == 0) return invalid_value;
  *address = allocate({std::vector<std::byte>(bytes), "", nullptr});
  return success;
}

Result cuMemFree_v2(DevicePointer address) {
  if (const Result error = enter("cuMemFree_v2", Needs::Context)) return error;
  return allocations.erase(address) ? success : invalid_value;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  if (const Result error = enter("cuMemcpyHtoD_v2", Needs::Context)) return error;
  const auto holder = holder_of(to, bytes);
  if (holder == allocations.end()) return invalid_value;
  std::memcpy(holder->second.bytes.data() + (to - holder->first), from, bytes);
  return success;
}

Result cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  if (const Result error = enter("cuMemcpyDtoH_v2", Needs::Context)) return error;
  const auto holder = holder_of(from, bytes);
  if (holder == allocations.end()) return invalid_value;
  std::memcpy(to, holder->second.bytes.data() + (from - holder->first), bytes);
  return success;
}

Result cuStreamCreate(StreamHandle* stream, unsigned) {
  if (const Result error = enter("cuStreamCreate", Needs::Context)) return error;
  *stream = reinterpret_cast<StreamHandle>(new char());
  streams.insert(*stream);
  return success;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  if (const Result error = enter("cuStreamDestroy_v2", Needs::Context)) return error;
  if (streams.erase(stream) == 0) return invalid_handle;
  delete reinterpret_cast<char*>(stream);
  return success;
}

Result cuStreamSynchronize(StreamHandle stream) {
  if (const Result error = enter("cuStreamSynchronize", Needs::Context)) return error;
  return streams.contains(stream) ? lasting_error : invalid_handle;
}

Result cuLaunchKernel(FunctionHandle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, StreamHandle stream, void** parameters,
                      void** extra) {
  if (const Result error = enter("cuLaunchKernel", Needs::Context)) return error;
  auto* function = reinterpret_cast<Function*>(handle);
  if (!functions.contains(function) || !streams.contains(stream) || extra) return invalid_handle;
  if (u64(block_x) * block_y * block_z > 1024 || grid_x == 0 || grid_y == 0 || grid_z == 0) return invalid_value;
  Translation translation(*function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, parameters);
  RunOptions options;
  options.checks = CheckSet();
  for (const Check check : {Check::Bounds, Check::Alignment, Check::Hang}) options.checks.add(check);
  options.threads = 1;
  const Outcome outcome = machine::make_machine()->run(translation.launch, options);
  lasting_error = error_of(outcome);
  if (lasting_error == success) translation.copy_back(outcome);
  return success;
}

Result cuGetErrorName(Result error, const char** name) {
  *name = error == success              ? "CUDA_SUCCESS"
          : error == no_device          ? "CUDA_ERROR_NO_DEVICE"
          : error == invalid_ptx        ? "CUDA_ERROR_INVALID_PTX"
          : error == illegal_address    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == misaligned_address ? "CUDA_ERROR_MISALIGNED_ADDRESS"
          : error == device_assert      ? "CUDA_ERROR_ASSERT"
          : error == launch_failed      ? "CUDA_ERROR_LAUNCH_FAILED"
                                        : nullptr;
  return *name ? success : invalid_value;
}

Result cuGetErrorString(Result error, const char** text) {
  *text = error == illegal_address ? "an illegal memory access was encountered" : nullptr;
  return *text ? success : invalid_value;
}

}  // extern "C"
