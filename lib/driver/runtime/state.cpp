#include "lib/driver/runtime/state.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/versions.h"

namespace ropewalk::driver::runtime {

namespace {

struct Binary {
  const void* image = nullptr;            // as nvcc's host code hands it over
  std::map<void*, void*> modules;         // by context
  std::map<void**, std::string> managed;  // pointers of the host to managed variables
};
struct Registered {
  Binary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;
  std::map<void*, void*> functions;  // by context
};

struct State {
  std::recursive_mutex mutex;
  std::set<std::unique_ptr<Binary>> binaries;
  std::map<const void*, std::unique_ptr<Registered>> functions, variables;  // by what the program knows them by
  std::map<int, void*> contexts;
};

// Programs register before main and end after static objects are gone: it is never given back.
State& state() {
  static State* const made = new State;
  return *made;
}

thread_local int device_of_thread = 0;
thread_local int last_error = success;

// That of the calling thread.
void* context() {
  void* current = nullptr;
  ROPEWALK_DRIVER(cuCtxGetCurrent, &current);
  return current;
}

int module_of(Binary& binary, void** module) {
  void*& known = binary.modules[context()];
  if (!known) {
    const int error = ROPEWALK_DRIVER(cuModuleLoadData, &known, binary.image);
    if (error) return error;
    for (const auto& [pointer, name] : binary.managed) {
      u64 address = 0;
      std::size_t bytes = 0;
      if (!ROPEWALK_DRIVER(cuModuleGetGlobal_v2, &address, &bytes, known, name.c_str()))
        *pointer = reinterpret_cast<void*>(address);
    }
  }
  *module = known;
  return success;
}

// The registered function of a stub or a handle.
Registered* registered_function(const void* symbol) {
  const auto known = state().functions.find(symbol);
  if (known != state().functions.end()) return known->second.get();
  for (const auto& [stub, function] : state().functions) {
    if (function.get() == symbol) return function.get();
  }
  return nullptr;
}

}  // namespace

int& current_device() { return device_of_thread; }

void* context_of(int device) {
  const std::lock_guard lock(state().mutex);
  void*& context = state().contexts[device];
  if (!context && ROPEWALK_DRIVER(cuDevicePrimaryCtxRetain, &context, device)) context = nullptr;
  return context;
}

void forget(int device) {
  const std::lock_guard lock(state().mutex);
  void* const gone = state().contexts[device];
  state().contexts.erase(device);
  for (const auto& binary : state().binaries) binary->modules.erase(gone);
  for (const auto& [stub, function] : state().functions) function->functions.erase(gone);
}

int enter() {
  if (const int error = ROPEWALK_DRIVER(cuInit, 0)) return error;
  if (context()) return success;
  void* const made = context_of(device_of_thread);
  return made ? ROPEWALK_DRIVER(cuCtxSetCurrent, made) : int(invalid_device);
}

int remember(int error) {
  if (error == success || error == not_ready) return error;
  last_error = error;
  const std::string function = PublicCall::name_or("");
  if (error != not_supported && !function.empty()) tell_failed(function, cudaGetErrorName(error));
  return error;
}

int not_there(const char* name) {
  tell_unsupported(PublicCall::name_or(name).c_str());
  return remember(not_supported);
}

int find_function(const void* symbol, void** function) {
  const std::lock_guard lock(state().mutex);
  Registered* const found = registered_function(symbol);
  // What is no function of the program may be one of a library that was loaded by hand.
  if (!found) {
    const bool is_one = symbol && !ROPEWALK_DRIVER(cuKernelGetFunction, function, symbol);
    return is_one ? int(success) : symbol ? version_errors.unknown_function : int(invalid_device_function);
  }
  void*& known = found->functions[context()];
  if (!known) {
    void* module = nullptr;
    if (const int error = module_of(*found->binary, &module)) return error;
    const int error = ROPEWALK_DRIVER(cuModuleGetFunction, &known, module, found->name.c_str());
    if (error) return error == symbol_not_found ? int(invalid_device_function) : error;
  }
  *function = known;
  return success;
}

const void* symbol_of(const void* function) {
  const std::lock_guard lock(state().mutex);
  for (const auto& [stub, registered] : state().functions) {
    for (const auto& [context, known] : registered->functions) {
      if (known == function) return stub;
    }
  }
  return function;
}

std::string name_of_function(const void* symbol) {
  const std::lock_guard lock(state().mutex);
  const Registered* const found = registered_function(symbol);
  return found ? found->name : "";
}

const void* handle_of(const void* symbol) {
  const std::lock_guard lock(state().mutex);
  return registered_function(symbol);
}

int find_variable(const void* symbol, u64* address, std::size_t* bytes) {
  const std::lock_guard lock(state().mutex);
  const auto known = state().variables.find(symbol);
  if (known == state().variables.end()) return invalid_symbol;
  void* module = nullptr;
  if (const int error = module_of(*known->second->binary, &module)) return error;
  const int error = ROPEWALK_DRIVER(cuModuleGetGlobal_v2, address, bytes, module, known->second->name.c_str());
  return error == symbol_not_found ? int(invalid_symbol) : error;
}

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;
using ropewalk::u64;

// What nvcc's host code calls before main, and at the end (crt/host_runtime.h).
extern "C" {

ROPEWALK_SHOWN void** __cudaRegisterFatBinary(void* image) {
  const std::lock_guard lock(state().mutex);
  auto binary = std::make_unique<Binary>();
  binary->image = image;
  void** const handle = reinterpret_cast<void**>(binary.get());
  state().binaries.insert(std::move(binary));
  return handle;
}

ROPEWALK_SHOWN void __cudaRegisterFatBinaryEnd(void**) {}

ROPEWALK_SHOWN void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(state().mutex);
  auto* const binary = reinterpret_cast<Binary*>(handle);
  for (auto* registered : {&state().functions, &state().variables})
    std::erase_if(*registered, [&](const auto& one) { return one.second->binary == binary; });
  for (const auto& [context, module] : binary->modules) ROPEWALK_DRIVER(cuModuleUnload, module);
  std::erase_if(state().binaries, [&](const auto& one) { return one.get() == binary; });
}

ROPEWALK_SHOWN void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*,
                                           void*, void*, int*) {
  const std::lock_guard lock(state().mutex);
  state().functions[stub] = std::make_unique<Registered>(reinterpret_cast<Binary*>(handle), name);
}

ROPEWALK_SHOWN void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes, int,
                                      int) {
  const std::lock_guard lock(state().mutex);
  state().variables[shadow] = std::make_unique<Registered>(reinterpret_cast<Binary*>(handle), name, bytes);
}

ROPEWALK_SHOWN void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                             std::size_t bytes, int, int) {
  const std::lock_guard lock(state().mutex);
  auto* const binary = reinterpret_cast<Binary*>(handle);
  binary->managed[pointer] = name;
  state().variables[pointer] = std::make_unique<Registered>(binary, name, bytes);
}

ROPEWALK_SHOWN char __cudaInitModule(void** handle) {
  const std::lock_guard lock(state().mutex);
  void* module = nullptr;
  return enter() == success && module_of(*reinterpret_cast<Binary*>(handle), &module) == success;
}

ROPEWALK_SHOWN int __cudaGetKernel(const void** kernel, const void* stub) {
  if (!kernel) return invalid_value;
  *kernel = handle_of(stub);
  return *kernel ? int(success) : version_errors.unknown_function;
}

ROPEWALK_SHOWN int cudaGetKernel(const void** kernel, const void* stub) {
  return remember(__cudaGetKernel(kernel, stub));
}

ROPEWALK_SHOWN int cudaGetLastError() {
  const int error = last_error;
  last_error = success;
  return error;
}

ROPEWALK_SHOWN int cudaPeekAtLastError() { return last_error; }
}
