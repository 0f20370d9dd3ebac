// The order between streams: which operation of a program's streams surely happens before which other one, and what
// they do to the same bytes without such an order.
//
// As the CUDA Runtime API reference has it ("Stream synchronization behavior", "API synchronization behavior"). Of the
// threads of the host nothing is seen but their calls, so they count as one: what one of them has waited for is done
// for all.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/driver/allocation.h"
#include "lib/driver/byte_set.h"
#include "lib/driver/clock.h"
#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"

namespace ropewalk::driver {

struct Operation;

// Operations that are done one after the other: of a stream, or of a branch of a graph.
struct Line {
  u32 number = 0;  // 0: nothing was done on it so far
  u64 count = 0;   // operations
  Clock clock;     // what has been done once its last operation is
  std::string name;
  u64 last = 0;                              // of it in the backlog: see there
  std::shared_ptr<const Operation> touched;  // the last one that touched something
};

// Where a node was added to its graph.
struct AddedBy {
  std::string call;
  CallStack at;
};

// What is reported of an operation when it is at fault.
struct Operation {
  std::string name, entry;  // "scale" and the entry of a kernel, "cudaMemcpyAsync" and nothing
  std::string line;         // "stream 1"
  const char* verb = "";    // "frees"; "": it reads or writes
  CallStack called_at;      // or, where the program is no native one,
  std::vector<std::string> stack;
  CallStack added_at;         // to the graph of which it is a node
  bool synchronises = false;  // a kernel that has fences, acquires or releases: it may wait for another one by memory
  bool may_overlap = false;   // LaunchRequest
  GridControls grid;          // of a kernel: what its threads executed
  std::vector<Moment> unfinished;  // of its stream, that may still run when it begins
  Moment at;
  Clock before;  // what was done when it began, and itself

  std::string text() const;  // "kernel scale in stream 1"
};

// Strong accesses do not race with each other: see TouchedBytes.
struct AccessedBytes {
  ByteSet read, strong_read, written, strong_written;
};

// What an operation does to an allocation; and what of it before it waits for the kernel before.
struct Touched {
  const Allocation* allocation = nullptr;
  AccessedBytes all, early = {};
};

// Two operations that nothing orders.
struct StreamRace {
  const Operation &earlier, &later;  // by their calls
  bool earlier_writes = false, later_writes = false;
  const Allocation& allocation;
  ByteRange bytes;                                                   // from the first to the last that they meet at
  std::vector<std::pair<const Allocation*, ByteRange>> others = {};  // that they meet at as well
};
// The finding without evidence, which takes a long look at the program's symbols, and that.
Finding describe(const StreamRace& race);
std::vector<std::string> evidence_of(const StreamRace& race);

class StreamOrder {
 public:
  // Whether there are streams that may go on without each other.
  bool has_branches() const { return branches_; }
  // Whether operations are followed: where there are such streams, or may be some. What was done before counts as done.
  bool is_followed() const { return branches_ || expected_; }
  // There is one more stream, or several branches of a graph or default streams of several contexts.
  void add_stream(bool is_blocking);
  void add_branches() { branches_ = true; }
  // There may be more later.
  void expect_branches() { expected_ = true; }

  // An operation on the line begins, after what its clock has; nullptr: none does. It lasts until the next one begins.
  void begin(Line* line, const AddedBy* node = nullptr);
  Line* line() const { return line_; }
  const AddedBy* node() const { return node_; }

  // Whether there is an operation of which one has to know what it touches.
  bool is_asking() const { return is_followed() && line_; }
  // The current operation did this. `describe` fills what is reported of it, once; `report` is called with each race
  // that comes of it.
  using Reporter = std::function<void(const StreamRace&)>;
  void touch(std::vector<Touched> all, const std::function<void(Operation&)>& describe, const Reporter& report);

  // The host has waited for what the clock has. is_kept: there is work that was given before, and will be compared.
  void done(const Clock& clock, bool is_kept = false);
  // What it has waited for while something was kept: whatever is given from now on comes behind that.
  const Clock& host() const { return host_; }

 private:
  struct Record {
    std::shared_ptr<const Operation> by;
    Touched touched;
  };
  void find_unfinished();
  void learn(const Touched& touched);
  // Adds the races of the current operation, which touches that.
  void compare(const Touched& touched, std::vector<StreamRace>& races) const;
  // What of that the current operation may do before the earlier one has ended; nullptr: nothing.
  const AccessedBytes* unordered(const Touched& touched, const Operation& earlier) const;
  void keep(Touched touched);

  bool branches_ = false, expected_ = false;
  u32 lines_ = 0, blocking_ = 0;
  Line* line_ = nullptr;                  // of the current operation
  const AddedBy* node_ = nullptr;         // of a graph, that it is
  std::shared_ptr<Operation> operation_;  // null: it did nothing so far
  Clock host_;
  std::map<u64, std::vector<Record>> pending_;  // by number of the allocation: what nobody has waited for
};

}  // namespace ropewalk::driver
