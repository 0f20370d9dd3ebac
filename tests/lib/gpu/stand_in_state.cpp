#include "tests/lib/gpu/stand_in_state.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace ropewalk::stand_in {

using namespace gpu;

bool is_initialized = false;
int device_total = 1, current = no_device_current;
std::map<int, Context> contexts;
std::map<DevicePointer, Allocation> allocations;
std::set<Module*>& modules = *new std::set<Module*>;
std::set<Function*>& functions = *new std::set<Function*>;
std::set<Stream*>& streams = *new std::set<Stream*>;

namespace {

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
  if (how == "kill") std::raise(SIGKILL);
  return std::atoi(how.c_str());
}

}  // namespace

Result enter(const char* call, Needs needs) {
  if (needs != Needs::Nothing && !is_initialized) return not_initialized;
  if (needs == Needs::Context && current == no_device_current) return invalid_context;
  if (needs == Needs::Context && contexts[current].lasting_error != success) return contexts[current].lasting_error;
  return demanded(call);
}

DevicePointer new_addresses(u64 bytes, u64 alignment) {
  static DevicePointer next = 0x7f2000000000;
  next = (next + alignment - 1) / alignment * alignment;
  const DevicePointer address = next;
  next += bytes + (1 << 20);
  return address;
}

DevicePointer allocate(Allocation allocation) {
  const DevicePointer address = new_addresses(allocation.bytes.size(), 256);
  allocations.emplace(address, std::move(allocation));
  return address;
}

bool has_room(int device, u64 bytes) {
  const char* text = std::getenv("ROPEWALK_STAND_IN_MEMORY");
  if (!text) return true;
  for (const auto& [address, allocation] : allocations) {
    if (allocation.readers.contains(device)) bytes += allocation.bytes.size();
  }
  return bytes <= std::strtoull(text, nullptr, 10);
}

std::map<DevicePointer, Allocation>::iterator holder_of(DevicePointer address, std::size_t bytes) {
  auto at = allocations.upper_bound(address);
  if (at == allocations.begin()) return allocations.end();
  --at;
  return address + bytes <= at->first + at->second.bytes.size() ? at : allocations.end();
}

std::byte* memory_at(DevicePointer address, std::size_t bytes) {
  const auto holder = holder_of(address, bytes);
  if (holder == allocations.end() || holder->second.readers.empty()) return nullptr;
  return holder->second.bytes.data() + (address - holder->first);
}

int device_of(StreamHandle handle) {
  if (!handle || handle == stream_per_thread()) return current;
  auto* stream = reinterpret_cast<Stream*>(handle);
  return streams.contains(stream) ? stream->device : no_device_current;
}

}  // namespace ropewalk::stand_in
