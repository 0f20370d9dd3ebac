// A plan: the events of a distributed initialisation and the constraints between them, as plain data. docs/manual.md
// gives the meaning of every event.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk::init {

enum class EventKind : u8 {
  DefineClass,
  EnterZeroInit,
  ExitZeroInit,
  Construct,
  RegisterBuffer,
  BuildCache,
  Shard,
  ToEmpty,
  To,
  Cast,
  Reset,
  LoadCheckpoint,
  Broadcast,
  PipelineSplit,
  Capture,
  Grow,
  Wait,
  Forward
};

// Where a buffer's memory is.
enum class Residence : u8 { Absent, Meta, Cpu, Device };

// When a reset rebuilds a buffer.
enum class ResetWhen : u8 { Always, IfMeta, IfMetaOrLengthChanged };

// A branch in the builder that depends on the values of the frequencies (llama3's loop over wavelengths).
enum class ValueBranch : u8 { None, RaisesOnMeta, SkippedOnMeta };

enum class BufferForm : u8 { Table, Frequencies };

struct BufferPlan {
  std::string name;
  BufferForm form = BufferForm::Table;
  bool persistent = false;
  Dtype dtype = Dtype::F32;   // in which the plan wants its values: what rounds them further is a fault
  i64 rows = 0;               // of a table, at first
  i32 from = -1;              // of a table: the frequencies buffer that it is computed from; -1: from the configuration
  bool shared = false;        // ranks are devices of one process, and a registry holds one buffer for each key
  bool device_in_key = true;  // of that registry
};

struct DeepSpeedVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const DeepSpeedVersion&) const = default;
};

struct Event {
  // An event that must have happened before: of the same rank, or of the rank that is named ("build@0").
  struct After {
    u32 event = 0;
    std::optional<u32> rank;
  };
  enum class Ranks : u8 { All, First, Others, Listed };

  std::string name;
  EventKind kind = EventKind::Forward;
  u64 line = 0;  // in the plan's file; 0: not known
  Ranks ranks = Ranks::All;
  std::vector<u32> listed_ranks;
  std::vector<After> after;
  std::vector<u32> buffers;  // those that it acts on

  Residence on = Residence::Device;        // construct, to
  bool scaled = true;                      // build_cache, reset: applies the configuration's scaling
  ValueBranch branch = ValueBranch::None;  // build_cache, reset
  ResetWhen when = ResetWhen::Always;      // reset
  std::optional<Dtype> dtype;  // enter_zero_init, cast, shard (of buffers), load_checkpoint, forward (of its inputs)
  DeepSpeedVersion deepspeed;  // enter_zero_init
  std::string by;              // shard: fsdp1, fsdp2, zero3; capture: compile, cuda_graph
  bool from_integers = false;  // build_cache, reset: no tensor constructor is asked for floating numbers
  bool strict = true, has_buffer = true;  // load_checkpoint
  bool assign = false;                    // load_checkpoint: the checkpoint's tensor takes the buffer's place
  bool two_level = false;                 // broadcast: inside nodes and between them
  bool intra_first = true;                // which level goes first
  bool skips_synced = false;              // the second level leaves out what the first has marked
  u32 node_size = 2;                      // ranks of a node
  i64 rows = 0;                           // grow
  i64 first_position = 0, positions = 8;  // forward
  u32 stream = 0;                         // build_cache, reset, grow, forward, wait: on which stream
  u32 for_stream = 0;                     // wait: what it waits for
  std::optional<bool> persistent;         // register_buffer
  std::vector<std::string> never_called;  // forward: modules of the model that it does not call

  bool happens_on(u32 rank) const;
  bool is_collective() const { return kind == EventKind::Broadcast; }
};

struct Plan {
  std::string path, name, about;
  std::vector<std::string> related;
  u32 ranks = 1;
  RopeFormula formula;
  std::vector<std::string> streams;  // [0] is the default one
  std::vector<BufferPlan> buffers;
  std::vector<Event> events;
};

// "to_empty", as plans write it.
std::string_view name_of(EventKind kind);
std::optional<EventKind> event_kind_named(std::string_view name);
std::vector<std::string> event_kind_names();

// Whether ranks of the plan share memory, so that what one does changes another: by a registry.
bool ranks_share_memory(const Plan& plan);

// An event of one rank that events of others wait for ("b@0").
struct NamedEvent {
  u32 event = 0, rank = 0;
  bool operator==(const NamedEvent&) const = default;
};
// Those of the plan, broadcasts aside, each once.
std::vector<NamedEvent> named_events(const Plan& plan);

// The plan without an event. What had to come after it must come after what it had to come after.
Plan without_event(const Plan& plan, u32 event);

}  // namespace ropewalk::init
