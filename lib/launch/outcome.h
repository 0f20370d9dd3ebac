// What came of a launch.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/finding/check.h"
#include "lib/finding/finding.h"
#include "lib/finding/source_lines.h"
#include "lib/launch/launch.h"

namespace ropewalk {

enum class OutcomeKind : u8 {
  Agreed,     // ran, nothing found, outputs as expected (where something was expected)
  Disagreed,  // ran, no check fired, but an output is wrong
  Found,      // a check fired
  NotRun      // did not run, or not to its end; `reason` says why
};
std::string_view name_of(OutcomeKind kind);

// Which bytes of a tensor a launch touched, a bit a byte; null: none. A strong access is one that PTX's memory model
// lets race with others of its kind: an atomic, or a load or store that is volatile, relaxed, acquire or release.
struct TouchedBytes {
  const u64 *read = nullptr, *strong_read = nullptr, *written = nullptr, *strong_written = nullptr;
  bool any() const { return read || strong_read || written || strong_written; }
};

// What threads of a launch executed of programmatic dependent launch: griddepcontrol.wait, and launch_dependents, also
// where no wait may have been executed before.
struct GridControls {
  bool waits = false, triggers = false, triggers_early = false;
};

// A tensor after the launch. Bytes are those of the storage from the first to the last element, gaps included.
struct TensorAfter {
  const std::byte* bytes = nullptr;
  const u64* written = nullptr;      // a bit a byte, set where the launch stored; null: not tracked
  const u64* initialized = nullptr;  // a bit a byte; null: all initialised
  const u64* poisoned = nullptr;     // a bit a byte: its value was lost by a finding; null: none was
  bool may_be_loaded = true;         // an access of the code may read it
  UndefinedBits undefined_bits;      // of bytes that the launch stored in private memory
  TouchedBytes touched;              // where asked for; and of them before griddepcontrol.wait, which the thread
  TouchedBytes touched_early;        // executes later or not at all; none, where the kernel does not have it
};

// What one instruction did to a tensor, over all threads of the launch that ran.
struct InstructionAccesses {
  u32 tensor = 0;      // of the launch
  bool write = false;  // an atomic, which also reads, is a write
  FindingLocation location;
  std::vector<u64> bytes;  // a bit a byte of the tensor
};

// What a launch stored in private memory (Resident) at one instruction that nobody wrote: a finding once it is used.
struct UndefinedStore {
  u32 tensor = 0;                           // of the launch
  bool is_message = false;                  // it synchronises with those who may read it
  u32 pads_to = 8;                          // some of it may be padding behind a number of so many bytes; 0: none is
  bool is_read_behind = false;              // a load of the launch that may be executed behind it may read it
  std::vector<std::pair<u64, u64>> ranges;  // [first, last) bytes of it, ascending
  std::vector<Finding> findings;
};

struct Statistics {
  u64 blocks = 0;  // blocks that were run
  u64 blocks_total = 0;
  u64 thread_instructions = 0;  // 0 unless counted
  double seconds = 0;           // of execution alone
};

// Which branches were seen: for each conditional branch (by PTX line) whether it was taken, not taken, or split a warp.
struct BranchCoverage {
  struct Branch {
    u32 ptx_line = 0;
    bool taken = false, not_taken = false, divergent = false;
  };
  std::vector<Branch> branches;
};

// A launch as a device's own records tell of it.
struct DeviceRun {
  std::string kernel;
  Dim3 grid, block;
  u32 registers = 0, local_bytes = 0;                     // of a thread
  u32 static_shared_bytes = 0, dynamic_shared_bytes = 0;  // of a block
  u32 device = 0, stream = 0;
  u64 start_ns = 0, end_ns = 0;  // on the device's clock
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::Agreed;
  std::string reason;             // of NotRun
  std::vector<Finding> findings;  // in a fixed order: by rule, location, tensor
  GridControls grid_controls;
  bool goes_by_data = false;         // where there are findings: numbers in memory decide what the kernel accesses
  std::set<std::string> made_again;  // of those that were reported (RunOptions), by id: they are not described
  std::vector<UndefinedStore> undefined_stores;
  Statistics statistics;
  BranchCoverage coverage;                    // where asked for
  std::vector<std::string> printed;           // by vprintf, in block order; bounded
  std::vector<std::string> complaints;        // of assertions that failed, as a device writes them; in the same way
  std::vector<std::string> notes;             // remarks on how it was run, for the report
  std::vector<TensorAfter> tensors;           // by launch tensor; empty where nothing ran
  std::vector<InstructionAccesses> accesses;  // where asked for, by tensor and location in the code
  std::vector<DeviceRun> device_runs;         // the gpu executor, where asked for
  std::string no_device_runs;                 // why there are none although they were asked for
  std::shared_ptr<void> storage;              // keeps the bytes alive
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double usual_seconds = 240;  // everything takes ten to thirty times as long
#else
constexpr double usual_seconds = 8;
#endif

struct RunOptions {
  // Whether somebody outside wants the launch to end soon, unfinished.
  bool is_stopped() const { return stop && stop->load(std::memory_order_relaxed); }

  CheckSet checks = CheckSet::all();
  bool strict = false;             // two writes of the same value are a race too
  bool fp_contract = false;        // fuse mul and add without rounding modifier
  u32 threads = 0;                 // worker threads for one launch; 0: one a core
  u64 budget = 0;                  // instructions of one warp before a launch counts as hanging; 0: the default
  double seconds = usual_seconds;  // of processor time of a worker, for the same purpose; a device's are of the wall's
  const std::atomic<bool>* stop = nullptr;  // see is_stopped; null: nobody wants that
  u64 block_order_seed = 0;                 // not 0: blocks run in another order
  u64 schedule = 0;                         // not 0: draws who is next where threads synchronise
  // The machine: findings are settled (lib/machine/settled.h) once so many steps were judged one by one, in a hundredth
  // of a second or so; 0: never, so that all are counted.
  u64 settle_after = 1 << 11;
  bool evidence = true;  // the machine: runs what has findings again, for what they come from
  bool count = false;    // count thread-instructions
  bool coverage = false;
  bool careful_only = false;     // the machine: no fast tier (to hold the tiers against each other)
  bool record_accesses = false;  // the machine: which bytes each instruction touched, without the fast tier
  bool note_touched = false;  // the machine: which bytes of resident tensors were touched at all, at nearly full speed
  // The machine: findings of earlier launches of the kernel that were reported, by id; not null: of those that the
  // launch makes again it need not say more.
  const std::set<std::string>* reported = nullptr;
  // The machine: sources, for what the PTX leaves open (lib/machine/early_return.h); null: there are none.
  SourceLines source_lines;
};

// Runs launches. One object may be used by one thread at a time.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string_view name() const = 0;
  // Never throws for what the kernel does. Throws InputError where the launch contradicts itself (an argument list that
  // does not fit the entry).
  virtual Outcome run(const Launch& launch, const RunOptions& options) = 0;
};

}  // namespace ropewalk
