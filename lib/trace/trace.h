// What a trace recorded of a process, as plain data.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/launch/launch.h"

namespace ropewalk::trace {

// "Order" counts the calls as they began; a launch has a second number, as it returned.

struct TracedAllocation {
  u64 address = 0, bytes = 0;
  std::string kind;               // "device", "managed", "pool", "host", "mapped", "variable"
  std::string made_by, freed_by;  // calls
  u64 made = 0, freed = 0;        // orders; freed 0: it was live when the snapshot was taken
};

struct TracedStream {
  u64 context = 0, handle = 0, thread = 0;  // handle 0: the legacy default stream, 2: the thread's own
  bool non_blocking = false;
  // What returned by the order `done` is complete; an operation that stood on the stream at `done_operation` is.
  u64 done = 0, done_operation = 0;
  u64 lost = 0;  // the order of the last launch that was no longer kept although it may not have been complete
};

// From the order `at` on, `stream` did nothing before what stood on `source` at the order `source_at` was complete.
struct StreamWait {
  u32 stream = 0;
  u64 at = 0;
  u32 source = 0;
  u64 source_at = 0;
};

struct TracedParameter {
  u32 offset = 0, bytes = 0;
};

// The module that a kernel came with.
struct TracedImage {
  std::string kind, path, file;  // "ptx", "fatbin", "cubin", "file" or ""; of `file`: the PTX beside the record
  u64 bytes = 0, hash = 0;       // of a cubin
};

struct TracedLaunch {
  u64 number = 0, order = 0, returned = 0;
  std::string kind, kernel;  // kind: "kernel", "cooperative", "graph"
  Dim3 grid, block;
  u64 shared_bytes = 0;
  u32 stream = 0;
  bool captured = false;  // into a graph, not run
  i64 result = 0;         // -1: the call had not returned
  std::string result_name;
  std::vector<TracedParameter> parameters;
  std::string unknown;  // why there are no arguments
  std::vector<u8> bytes;
  TracedImage image;
};

struct TracedOperation {
  std::string name;
  u64 to = 0, from = 0, bytes = 0, order = 0;
  u32 stream = 0;
  i64 result = 0;
};

struct SavedMemory {
  u64 address = 0, bytes = 0;
  std::string file, left_out;  // one of the two
};

// All that was known when a call reported an error, or when a launch was saved.
struct Snapshot {
  i64 code = 0;
  std::string name, text;
  bool is_fault = false;  // a kernel broke the context; else: the call itself was refused
  std::string call;
  u64 order = 0, context = 0, thread = 0;
  u64 launch = 0;          // the launch that the call was; 0: it was none
  bool by_itself = false;  // the error is that launch's own
  std::vector<TracedLaunch> launches;
  std::vector<TracedStream> streams;
  std::vector<StreamWait> waits;
  std::vector<TracedAllocation> allocations;
  std::vector<TracedOperation> operations;
  u64 saved_launch = 0;
  std::vector<SavedMemory> saved;
};

struct TracedProcess {
  u64 process = 0;
  std::vector<std::string> command;
  std::string problem;  // why it is not traced
  std::string cupti, driver;
  u64 keep = 0, launches = 0;
  u64 unwaited = 0;  // launches that nothing showed to be complete when the process ended
  bool serialized = false, ended = false;
  std::vector<Snapshot> snapshots;
};

// Reads the record that the injected library wrote. Throws InputError where it is none.
TracedProcess read_record(const std::string& path);

}  // namespace ropewalk::trace
