// One piece of memory that kernels may reach.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/driver/advice.h"
#include "lib/driver/call_stack.h"
#include "lib/driver/pages.h"
#include "lib/driver/undefined_bytes.h"
#include "lib/driver/virtual_memory.h"
#include "lib/launch/launch.h"

namespace ropewalk::driver {

struct Context;

enum class MemoryKind : u8 {
  Device,    // of a device
  Managed,   // of a device and of the host, which knows it by the same address
  Host,      // pinned memory that the driver gave
  Lent,      // the program's own, which it registered or which a tensor of it lies in
  Variable,  // of a module
  Reserved,  // addresses, to which memory may be mapped
  Physical   // what may be mapped there; its address is its handle, by which nothing is accessed
};

struct Allocation {
  u64 number = 0;  // in the order of making, from 1
  MemoryKind kind = MemoryKind::Device;
  u32 device = 0;
  u64 address = 0, bytes = 0;  // the address is the host's own where the host knows it
  std::byte* data = nullptr;
  u64* initialized = nullptr;  // a bit a byte; null: all of them count as written
  bool freed = false;
  bool is_of_graph = false;    // its range is kept as long as the graph; freed until it is launched
  Context* context = nullptr;  // with which it dies; null: with none
  u32 host_flags = 0;          // with which memory of the host was made (CU_MEMHOSTALLOC_...)
  std::string name;            // of a variable; else empty
  // Of memory of a pool: the devices that may touch it besides its own, whatever access their contexts have to peers.
  std::shared_ptr<const std::set<u32>> pool;
  std::shared_ptr<AdvisedPages> advice;  // of managed memory; null: none so far
  std::string made_by, freed_by;         // calls
  CallStack made_at, freed_at;

  // What kernels stored there that nobody wrote. Memory that others see is none of its kind: there a store matters.
  UndefinedBytes undefined;
  UndefinedBits undefined_bits;  // of bytes that are not initialized
  bool is_private() const {
    return (kind == MemoryKind::Device || kind == MemoryKind::Variable) && initialized && !physical;
  }
  // A variable, all of which counted as written, may from now on have bytes that nobody wrote.
  void track_variable();
  // Who stored what nobody wrote in bytes [first, last).
  auto undefined_among(u64 first, u64 last) const { return undefined.used({initialized, widest_stored}, first, last); }
  auto undefined_results() const { return undefined.used({initialized, widest_stored}, 0, bytes, true); }

  Pages data_pages, bit_pages;               // where the bytes are our own
  std::unique_ptr<AddressRange> range;       // of what is reserved
  std::unique_ptr<PhysicalMemory> physical;  // of what may be mapped, and of what is shared with other processes,
  std::unique_ptr<AddressRange> shared;      // whose bytes are here

  bool is_on_host() const {
    return kind == MemoryKind::Managed || kind == MemoryKind::Host || kind == MemoryKind::Lent;
  }
  // "allocation 3 (256 bytes, cuMemAlloc)", "the variable table"
  std::string text() const;
  u8 widest_stored = 0;  // Resident::widest_stored
  bool is_imported() const { return physical && physical->is_imported; }
  // device: that touches it.
  Resident resident(u32 device);
  // The bytes that a launch may reach: of reserved addresses those up to the end of what is mapped.
  u64 reach() const { return range && !freed ? range->end() : bytes; }
};

}  // namespace ropewalk::driver
