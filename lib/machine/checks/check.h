// What the careful tier tells the checks, and what they answer. Each check is a small listener in a file of its own.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "lib/finding/check.h"
#include "lib/machine/block.h"
#include "lib/machine/collector.h"
#include "lib/machine/memory.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

enum class AccessKind : u8 { Load, Store, Atomic };

// One access of one lane.
struct AccessEvent {
  Context& context;
  const Step& step;
  u32 step_index = 0;
  u32 warp = 0, lane = 0;
  AccessKind kind = AccessKind::Load;
  MemorySpace space = MemorySpace::Global;  // of the bytes, not of the instruction: Global, Shared, Local, ...
  const Window* window = nullptr;           // of Global and Constant; nullptr: the address is in no window
  u32 window_number = 0;
  u64 address = 0;
  i64 offset = 0;  // from the start of the window, of shared, local or parameter memory
  u32 bytes = 0;
  u64 extent = 0;                     // bytes of that memory, or where the part of it ends that the access may touch
  i64 start = 0;                      // where that part starts
  const std::byte* data = nullptr;    // where the bytes lie, once the access is known to be inside
  const std::byte* stored = nullptr;  // of a store: the new bytes
  u8 address_taint = clean;
  bool in_doubt = false;  // of a lane that was sent here (doubt.h)
  u32 address_value = no_value;
  bool is_asynchronous = false;  // cp.async: the bytes are read, or arrive, later
  u32 element_bytes = 0;         // of a vector access; 0: one element
  u32 unused = 0;                // a bit an element: loaded into a register that nothing reads
  u32 aligned_to = 0;            // where that is not `bytes`
  u32 source = 0;                // of the bytes read that nobody wrote, once it is asked for,
  u32 padding = 0;               // of those of them that pad a struct,
  u32 raced = 0;                 // and of those read in a race

  // Whether a byte of a load is one that it is not made for; and whether some of an element are.
  bool is_padding(u32 byte) const { return step.memory && byte < 64 && !((step.memory->used_bytes >> byte) & 1); }
  bool is_padded(u32 first, u32 count) const {
    bool some = false;
    for (u32 byte = first; byte < first + count; ++byte) some |= is_padding(byte);
    return some;
  }
  u32 thread() const { return context.first_thread + warp * lanes_per_warp + lane; }
  // Whether where it goes is no finding of its own: the address was made of a bad value, or the lane may not come here.
  bool is_reported_elsewhere() const { return in_doubt || (address_taint & poisoned); }
  bool is_write() const { return kind != AccessKind::Load; }
  const char* verb() const { return is_write() ? "writes" : "reads"; }
  // Names a byte of the access in what a block remembers of memory.
  u64 byte_in_block(i64 byte) const {
    const u64 at = u64(offset + byte);
    if (window) return u64(1) << 62 | (address + u64(byte));
    return space == MemorySpace::Local ? own_byte(thread(), u32(at)) : at;
  }
  // The same of a byte of a thread's own memory.
  static u64 own_byte(u64 thread, u32 byte) { return u64(1) << 63 | thread << 32 | byte; }
  bool is_in_block() const { return space == MemorySpace::Shared || space == MemorySpace::Local; }
  // Whether what is stored there is followed: it matters where it is read again. What a strong access stores is a
  // message to other threads, which may never look at it (CUB's descriptor of a last tile); but what a race gave it,
  // the host may.
  bool is_followed() const;
  // Whether what is stored there matters where a later launch or the host uses it.
  bool is_deferred() const { return window && window->is_private; }
  // The rest of the description of a finding here.
  Occurrence occurrence(Rule rule) const;
};

// What becomes of an access.
struct Verdict {
  bool perform = true;     // false: a load yields a poison value, a store is dropped
  bool poison = false;     // the value loaded is not to be trusted, and nothing more is reported of it
  bool undefined = false;  // it holds bytes that nobody wrote
};

// Sources of values (unwritten.h), by warp and lane.
using LaneSources = std::array<std::array<u32, lanes_per_warp>, max_warps>;

class Checker {
 public:
  virtual ~Checker() = default;
  // Before an access. Called in a fixed order of checks, until one says not to perform it.
  virtual void on_access(const AccessEvent&, Verdict&) {}
  // A cp.async is waited for: up to now it may have read what it copies, and written it.
  virtual void on_late_access(const AccessEvent&) {}
  // A register that nobody wrote matters: it is an address, decides a branch, is stored. What matters of reads and
  // results is reported without asking (unwritten.h).
  virtual void on_unwritten_register(const Context&, u32 /*step*/, u32 /*warp*/, u32 /*lane*/, const char* /*what*/) {}
  // `//@index i < n`, for a lane.
  virtual void on_index(const Context&, const Step&, u32 /*step*/, u32 /*warp*/, u32 /*lane*/, u32 /*index*/,
                        u32 /*bound*/) {}
  // brx.idx by an index past its list of so many targets.
  virtual void on_branch_table(const Context&, u32 /*step*/, u32 /*warp*/, u32 /*lane*/, u32 /*index*/,
                               u32 /*targets*/) {}
  // A warp-wide operation reads a lane that does not take part.
  virtual void on_inactive_lane(const Context&, u32 /*step*/, u32 /*warp*/, u32 /*lane*/, u32 /*from*/, Severity) {}
  // A barrier that part of a warp (missing: lanes that are still alive elsewhere) or part of the block misses.
  struct PartialBarrier {
    u32 step = 0, thread = 0;  // of one that came
    std::string what;
    Severity severity = Severity::Error;
    u32 other_step = ~u32(0), other_thread = 0;  // one that waits at another barrier; ~0: that is not known
  };
  virtual void on_partial_barrier(const Block&, const PartialBarrier&) {}
};

using Checkers = std::vector<std::unique_ptr<Checker>>;

}  // namespace ropewalk::machine
