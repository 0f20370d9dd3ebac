// What the stand-in driver knows: contexts, modules, streams and memory, and the order in which calls may come.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/gpu/driver_api.h"
#include "lib/ptx/module.h"

namespace ropewalk::stand_in {

struct Module {
  int device = 0;  // whose context was current when it was loaded
  std::shared_ptr<const ptx::Module> ptx;
  std::map<std::string, gpu::DevicePointer> variables;
};
struct Function {
  Module* module;
  std::string name;
};
struct Stream {
  int device;
};
struct Allocation {
  std::vector<std::byte> bytes;
  std::string variable;  // of a module; empty: an allocation of the program
  Module* module = nullptr;
  std::set<int> readers;   // devices that may touch it
  bool is_mapped = false;  // by hand
};
// The primary context of a device.
struct Context {
  int retained = 0;
  gpu::Result lasting_error = gpu::success;
};

constexpr int no_device_current = -1;

extern bool is_initialized;
extern int device_total, current;
extern std::map<int, Context> contexts;
extern std::map<gpu::DevicePointer, Allocation> allocations;
// Never destroyed: what a program did not give back is the driver's to the end, and no leak of the program.
extern std::set<Module*>& modules;
extern std::set<Function*>& functions;
extern std::set<Stream*>& streams;

enum class Needs { Nothing, Driver, Context };

// What stands before every call: the order, errors that last, what the environment demanded.
gpu::Result enter(const char* call, Needs needs);

// Addresses that were never given out before, a multiple of `alignment`, with room behind them.
gpu::DevicePointer new_addresses(u64 bytes, u64 alignment);
gpu::DevicePointer allocate(Allocation allocation);
// Whether a device's memory has room for so many bytes more.
bool has_room(int device, u64 bytes);
// The allocation that holds the bytes; end() where none does.
std::map<gpu::DevicePointer, Allocation>::iterator holder_of(gpu::DevicePointer address, std::size_t bytes);
// The same as bytes that copies may touch; null where there are none.
std::byte* memory_at(gpu::DevicePointer address, std::size_t bytes);
// The device of a stream, default ones included; no_device_current: there is no such stream.
int device_of(gpu::StreamHandle stream);

}  // namespace ropewalk::stand_in
