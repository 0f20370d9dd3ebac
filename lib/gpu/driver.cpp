#include "lib/gpu/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace ropewalk::gpu {

namespace {

// The symbol behind a member's name, for messages.
std::string symbol_of(std::string_view member) {
#define ROPEWALK_NAME(name, symbol, parameters) \
  if (member == #name) return symbol;
  ROPEWALK_DRIVER_FUNCTIONS(ROPEWALK_NAME)
  ROPEWALK_MAPPING_FUNCTIONS(ROPEWALK_NAME)
#undef ROPEWALK_NAME
  return std::string(member);
}

}  // namespace

Driver::Driver() {
  const char* given = std::getenv("ROPEWALK_CUDA_DRIVER");
  const char* library = given && *given ? given : "libcuda.so.1";
  const bool is_linked = std::string_view(library) == "self";
  void* handle = dlopen(is_linked ? nullptr : library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw NotAvailable(fmt::format("no driver: {}", dlerror()));
  const auto load = [&](auto& member, const char* symbol) {
    void* address = dlsym(handle, symbol);
    if (!address) throw NotAvailable(fmt::format("the driver {} is too old: it has no {}", library, symbol));
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
  };
#define ROPEWALK_LOAD(member, symbol, parameters) load(member, symbol);
  ROPEWALK_DRIVER_FUNCTIONS(ROPEWALK_LOAD)
#undef ROPEWALK_LOAD
#define ROPEWALK_LOAD(member, symbol, parameters) member = reinterpret_cast<decltype(member)>(dlsym(handle, symbol));
  ROPEWALK_MAPPING_FUNCTIONS(ROPEWALK_LOAD)
#undef ROPEWALK_LOAD
  const Result result = initialize(0);
  if (result == no_device) throw NotAvailable("no device: the driver finds no GPU");
  if (result != success) throw NotAvailable(fmt::format("the driver does not start: {}", name_of(result)));
  int count = 0;
  if (device_count(&count) != success || count == 0) throw NotAvailable("no device: the driver finds no GPU");
}

const Driver& Driver::open() {
  static const Driver driver;
  return driver;
}

std::string Driver::name_of(Result result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_text(result, &text);
  return fmt::format("{} ({}): {}", name ? name : "unknown error", result, text ? text : "no description");
}

void Driver::check(Result result, const char* call) const {
  if (result != success) throw DriverError(result, fmt::format("{} failed with {}", symbol_of(call), name_of(result)));
}

bool Driver::maps_memory(DeviceHandle device) const {
#define ROPEWALK_IS_THERE(member, symbol, parameters) \
  if (!member) return false;
  ROPEWALK_MAPPING_FUNCTIONS(ROPEWALK_IS_THERE)
#undef ROPEWALK_IS_THERE
  int maps = 0;
  return device_attribute(&maps, attribute_maps_memory, device) == success && maps != 0;
}

std::string Driver::version() const {
  int version = 0;
  ROPEWALK_CUDA(*this, driver_version, &version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace ropewalk::gpu
