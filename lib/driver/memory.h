// The memory of the virtual devices, and of the process as far as kernels may touch it. What was written to it is known
// by the byte, from launch to launch and through copies.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "lib/driver/allocation.h"
#include "lib/driver/result.h"
#include "lib/driver/stream_order.h"
#include "lib/finding/finding.h"

namespace ropewalk::driver {

// A defect in how the program handles memory, which is a finding whoever asks for it.
struct MemoryDefect {
  Rule rule;
  std::string call;                        // "cuMemcpyHtoD"
  std::string message;                     // a sentence without the call
  const Allocation* allocation = nullptr;  // that it is about
  std::optional<Access> access;
};

// An address as the driver knows it.
struct ResolvedAddress {
  Allocation* allocation = nullptr;  // null: in none
  u64 offset = 0;                    // from its start; of a pointer before that, negative as i64
};

// Rows of bytes in memory: `rows` in each of `slices`.
struct Block {
  u64 address = 0;           // of the first byte
  u64 pitch = 0, slice = 0;  // bytes from a row, and from a slice, to the next
};

// Not safe for several threads: the session's mutex is held.
class DeviceMemory {
 public:
  using Reporter = std::function<void(const MemoryDefect&)>;
  // limit: bytes of each device.
  DeviceMemory(u64 limit, Reporter report) : limit_(limit), report_(std::move(report)) {}

  struct Wish {
    MemoryKind kind = MemoryKind::Device;
    u32 device = 0;
    u64 bytes = 0;
    std::string call;
    std::string name;             // of a variable
    bool is_initialized = false;  // all of it counts as written
    bool is_of_graph = false;     // it is there when `make` says so
    Context* context = nullptr;   // with which it dies; null: with none
  };
  // nullptr: there is not so much left.
  Allocation* allocate(const Wish& wish);
  // Lets kernels reach memory of the process at its own address. What overlaps with other memory is refused (nullptr),
  // but for the same bytes, which are lent once more. initialized: null, or a bit a byte, kept up to date.
  Allocation* lend(void* data, u64 bytes, const std::string& call, u64* initialized = nullptr);
  // Each lend is taken back once.
  Result take_back(const void* data, const std::string& call);
  // Memory of the process that kernels could reach, and that its owner freed: `lend` may give its addresses to other
  // memory. Where other memory is lent there already, it is not noted.
  void note_freed(void* data, u64 bytes, const std::string& call);
  // Other memory of the process may be there by now.
  void forget_freed(const void* data);
  // Of memory that `allocate` gave for this kind. A free of what is no start, and a second one, are defects.
  Result release(u64 address, MemoryKind kind, const std::string& call);

  // Memory of a graph, by its node that allocates it. InvalidValue: it is there, for nobody freed it.
  Result make(Allocation& of_graph, const std::string& call);
  // Its graph is gone: what is there of it stays until it is freed.
  void disown(Allocation& of_graph);
  // Bytes of graphs: those that are there, and what is kept for graphs, each with the most so far.
  struct GraphBytes {
    u64 used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  };
  GraphBytes& graph_bytes(u32 device) { return graph_bytes_[device]; }

  // Addresses, and memory that is mapped there (virtual_memory.h); sizes are whole granules. nullptr: there is not so
  // much left.
  Allocation* reserve(u64 bytes, const std::string& call);
  Result free_reserved(u64 address, u64 bytes, const std::string& call);
  Allocation* create(std::unique_ptr<PhysicalMemory> memory, const std::string& call);
  // By its handle, nullptr: the program has none to it.
  Allocation* physical(u64 handle) const;
  Result release_physical(u64 handle, const std::string& call);
  // nullptr: the address is in no reserved range; the offset in it is that of the address.
  AddressRange* range_at(u64 address, u64* offset) const;
  Result map(u64 address, u64 bytes, u64 handle);
  Result unmap(u64 address, u64 bytes, const std::string& call);

  // Memory of one process in others (CUipcMemHandle).
  struct IpcHandle {
    u64 magic;
    int process, file;
    u32 device;
    u64 bytes;
    char rest[32];
  };
  static_assert(sizeof(IpcHandle) == 64);
  Result share(u64 address, IpcHandle* handle);
  // The start of the memory, which is opened once for each context.
  Result open(const IpcHandle& handle, Context* context, u64* address);
  Result close(u64 address);

  // Memory of a pool, which is known by the devices that may touch it: what is allocated, with the most so far.
  struct PoolBytes {
    u64 used = 0, most_used = 0;
  };
  PoolBytes& pool_bytes(const std::shared_ptr<const std::set<u32>>& pool) { return pool_bytes_[pool.get()]; }
  void forget_pool(const std::shared_ptr<const std::set<u32>>& pool) { pool_bytes_.erase(pool.get()); }
  void put_into_pool(Allocation& allocation, std::shared_ptr<const std::set<u32>> pool);

  // A variable whose module is unloaded.
  void forget(Allocation& variable);

  // The memory that an address lies in, freed or not; `allocation` is null where there is none.
  ResolvedAddress find(u64 address) const;
  // The same for a pointer that a kernel is given: it may lie before the memory, or past its end, and lead into it.
  ResolvedAddress find_pointer(u64 address) const;
  // The same as find for an address from which `bytes` are to be accessed by a call. False: the defect was reported,
  // and the call answers InvalidValue. An address that no device knows is the program's own: then `allocation` is null,
  // and true.
  bool check(ResolvedAddress& resolved, u64 address, u64 bytes, bool writes, const std::string& call);

  // Host code followed a pointer to memory that only a device reaches, which is a defect.
  void touched_by_host(u64 address, bool writes);

  // Copies `rows` rows of `bytes` in each of `slices`. What is known to be written goes with the bytes. to_device and
  // from_device: the address must be memory that devices know.
  struct Copy {
    Block to, from;
    u64 bytes = 0, rows = 1, slices = 1;
    bool to_device = false, from_device = false;
  };
  Result copy(const Copy& copy, const std::string& call);
  // Fills `rows` rows of `count` elements of `width` bytes (1, 2 or 4).
  Result set(const Block& to, u32 value, u32 width, u64 count, u64 rows, const std::string& call);

  // Called with what each copy and fill touches. May be empty.
  std::function<void(std::vector<Touched>, const std::string& call)> on_touch;
  // Called where bytes come to the host that a kernel stored and nobody wrote. May be empty.
  std::function<void(const UndefinedStored&, const std::string& call)> on_undefined;
  // Called where bytes come to the host of which nobody wrote some, with the first of those. May be empty.
  std::function<void(const Allocation& at, u64 byte, const std::string& call)> on_unwritten;
  // Called where the memory of results goes that have such bytes, and at which nobody looked. May be empty.
  std::function<void(const UndefinedStored&, const Allocation& at)> on_result;
  // Called for each copy, fill and free, before what is wrong with it is reported. May be empty.
  std::function<void()> on_check;

  // The process ends: calls on_result.
  void report_results() const;

  // The value of a condition of a graph. One that nobody has set is 0, and a defect where that is checked.
  void read_condition(const Allocation& at, bool is_checked, u32* value);

  // All that is live counts as written: what a kernel that did not run, or not as a whole, would have written is not
  // known.
  void assume_written();

  u64 limit() const { return limit_; }
  u64 used(u32 device) const;
  // All that is live, and what was freed of late, in the order of making.
  std::vector<Allocation*> all() const;
  std::vector<Allocation*> live() const;
  // Everything of a device is gone, as after cuDevicePrimaryCtxReset.
  void reset(u32 device);
  // The context is destroyed, and its memory with it.
  void lose(const Context* context);
  // Changes with every allocation that is made or freed.
  u64 version() const { return version_; }

 private:
  Allocation* add(std::unique_ptr<Allocation> allocation);
  std::unique_ptr<Allocation> begin(MemoryKind kind, u32 device, u64 bytes, const std::string& call) const;
  bool has_window() const;
  u64 take_window();  // its first address
  bool check_mapped(const ResolvedAddress& resolved, u64 bytes, const char* verb, const std::string& call);
  void retire(Allocation& allocation, const std::string& call);
  void report_results(const Allocation& at) const;
  void remember(const Allocation& freed);
  void drop(Allocation& allocation);
  Allocation* of_process(u64 address) const;
  void follow_undefined(const Copy& copy, const ResolvedAddress& to, const ResolvedAddress& from,
                        const std::string& call);
  void tell_unwritten(const Copy& copy, const ResolvedAddress& from, const std::string& call);
  void check_overlap(const Copy& copy, const ResolvedAddress& to, const ResolvedAddress& from, const std::string& call);
  // Whose memory an address lies in, or before or after: on a device each has a window of its own.
  Allocation* near(u64 address) const;

  u64 limit_;
  Reporter report_;
  u64 made_ = 0, version_ = 0;
  std::map<u64, std::unique_ptr<Allocation>> allocations_;  // by number
  std::vector<Allocation*> windows_;                        // by number of the window, less the first
  std::deque<u32> spare_windows_;                           // whose memory is forgotten
  std::map<u64, Allocation*> of_process_;                   // by the last byte
  std::map<const Allocation*, u32> lent_;                   // how often
  std::deque<u64> freed_;                                   // numbers of what was freed, oldest first
  std::vector<u64> used_;                                   // bytes, by device
  std::map<u32, GraphBytes> graph_bytes_;                   // by device
  std::map<const void*, PoolBytes> pool_bytes_;             // by pool
};

}  // namespace ropewalk::driver
