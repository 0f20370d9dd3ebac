// A block of a launch while it runs.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/machine/absence.h"
#include "lib/machine/access_log.h"
#include "lib/machine/context.h"
#include "lib/machine/order/order.h"
#include "lib/machine/owners.h"
#include "lib/machine/shadow.h"
#include "lib/machine/shared_shadow.h"
#include "lib/machine/unwritten.h"

namespace ropewalk::machine {

class Collector;
class UndefinedStores;
struct LaunchState;

// A cp.async between its issue and its wait.
struct PendingCopy {
  u32 thread = 0;
  u32 group = 0;   // number of the commit group within the thread; the open one is the thread's next
  u32 offset = 0;  // in shared memory
  u32 step = 0;
  u8 bytes = 0;
  bool is_over = false;         // and the phase of the mbarrier is that the thread arrives at when it has come
  bool is_over_unread = false;  // what the copy before it brought to these bytes may not have been read
  i64 barrier = -1;             // offset of that mbarrier; -1: none
  u16 poisoned = 0;             // a bit a byte: what was copied comes from an access that was reported,
  u16 undefined = 0;            // or nobody wrote it,
  u16 padding = 0;              // (of these, what pads a struct)
  u32 source = 0;               // and where that comes from,
  u32 source_of_padding = 0;
  u64 from = 0;    // address of what is copied,
  u32 wanted = 0;  // so many bytes of it
  u32 record = 0;  // of the read in the block's log, from 1; 0: it is not logged
  std::array<std::byte, 16> data{};
};

// What is known of a byte of shared or local memory that holds bits which nobody wrote: those bits, and their source.
// Of a byte that is part of a number, also the number's base (known_differences.h), which byte of it this is, and which
// of them are undefined.
struct UndefinedByte {
  u32 source = 0;
  u8 bits = 0xff;
  u8 part = 0, parts = 0;
  u32 base = 0;
};

struct Block {
  u32 index[3] = {0, 0, 0};  // %ctaid
  u64 number = 0;            // linear
  u32 threads = 0, warps = 0;
  u32 time = 1;          // counts completed barriers
  u32 full_time = 1;     // when all warps last met: what happened before is ordered
  u64 shared_bytes = 0;  // static and dynamic
  std::vector<std::byte> shared;
  std::vector<u64> shared_initialized;
  std::vector<u64> shared_poisoned;  // bytes whose value came from an access that was reported
  UnwrittenReads unwritten;          // reads of bytes that nobody wrote, while it is open whether they matter
  std::unordered_map<u64, UndefinedByte> undefined_bytes;  // by byte_in_block: see handlers/careful_marks.h
  std::unordered_map<u64, u32> bases;  // of numbers in memory that nobody wrote: see known_differences.h
  u32 last_base = 0;
  std::unordered_map<u32, Range> ranges;  // by base
  struct StoredWrap {
    Shadow::Wrap wrap;
    u32 bytes = 0;
  };
  std::unordered_map<u64, StoredWrap> wraps;  // by byte_in_block, of bytes that are not initialised: see overflow.h
  std::vector<u64> shared_in_flight;          // bytes that a cp.async may still write
  std::vector<PendingCopy> copies;            // cp.async that have not been waited for, in the order of issue
  SharedShadow shadow;
  bool reads_by_chunk = false;  // reads of shared memory are noted by chunk (SharedShadow)
  bool read_by_chunk = false;   // and one was, in this block
  bool needs_rerun = false;     // a write met such a read
  AccessLog log;
  std::vector<u64> stored_bytes, atomic_bytes;  // by window, of those that are counted: over all blocks of the worker
  Owners* owners = nullptr;                     // of the worker
  std::vector<Trail> trails;                    // by thread: what it did last; empty: not asked for
  Absences* absences = nullptr;                 // of the worker
  std::vector<u32> committed;                   // by thread: cp.async groups committed so far
  std::string refusal;                          // an instruction that cannot be executed
  u32 refusal_step = 0;
  std::unordered_map<u64, u64> origins;  // by byte_in_block: the origin of the NaN or infinity there (see nonfinite.h)
  // Of observed programs:
  static constexpr u8 branch_taken = 1, branch_not_taken = 2, branch_divergent = 4;
  u64 thread_instructions = 0;
  std::vector<u8> branches;  // by step: which ways were seen
  bool met_settled = false;  // something in it came of a finding that is settled (settled.h)
  LaunchState* launch = nullptr;

  // Notes a write of bytes of shared memory. False: they may have been read since the last barrier by somebody unknown.
  bool note_shared_write(u64 first, u64 bytes) {
    u32* const read = shadow.chunk_read.data();
    u32* const written = shadow.chunk_written.data();
    for (u64 c = first / SharedShadow::chunk; c <= (first + bytes - 1) / SharedShadow::chunk; ++c) {
      needs_rerun |= read[c] >= full_time;
      written[c] = time;
    }
    return !needs_rerun;
  }
  Collector* collector = nullptr;
  UndefinedStores* undefined_stores = nullptr;  // of the worker
  std::unique_ptr<order::BlockOrder> order;     // where the launch has its order followed
};

}  // namespace ropewalk::machine
