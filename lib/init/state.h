// What a rank of an initialisation is like between two events.
#pragma once
#include <string>
#include <vector>

#include "lib/init/plan.h"
#include "lib/init/streams.h"

namespace ropewalk::init {

// What a buffer holds, in one word.
enum class Label : u8 { Absent, Meta, Garbage, Plain, Scaled, Rounded, FromCheckpoint, Stale };
// "GARBAGE".
std::string_view name_of(Label label);

// How values came to be less precise than the plan wants them.
enum class RoundedBy : u8 { Nothing, ZeroInit, Cast, Frequencies };

struct BufferState {
  Residence residence = Residence::Absent;
  Label label = Label::Absent;
  u32 content = 0;  // number of the bytes in the workshop; 0: nobody wrote them
  Dtype dtype = Dtype::F32;
  i64 rows = 0;
  bool persistent = false;
  bool unscaled = false;          // built without the scaling that the configuration asks for
  bool computed_on_meta = false;  // the last that built it did so where there are no values
  bool had_values = false;        // before to_empty took its memory
  RoundedBy rounded = RoundedBy::Nothing;
  i16 home = -1;                 // the rank on whose device the memory is; -1: this one
  i16 made_by = -1;              // the event that made it what it is
  i16 emptied_by = -1;           // to_empty that took its values, where nothing has written it since
  i16 skipped_by = -1;           // the last reset that found no reason to rebuild it since
  i16 rounded_by = -1;           // the event that cost precision
  bool synced = false;           // marked by a level of a broadcast
  std::vector<PastAccess> past;  // of its memory; kept only where the plan has several streams
  // A pointer that somebody keeps: what it points to, and the event that freed that memory.
  bool captured = false;
  u32 captured_content = 0;
  i64 captured_rows = 0;
  Dtype captured_dtype = Dtype::F32;
  i16 captured_by = -1;
  i16 freed_by = -1;
  bool operator==(const BufferState&) const = default;
};

struct RankState {
  Residence module = Residence::Device;
  bool stopped = false;    // an exception ended it
  i32 failure = -1;        // the first thing that went wrong, by number; -1: nothing
  i16 zero_init = -1;      // the event that entered the open zero.Init context
  i16 late_class = -1;     // the event that defined a class inside it
  bool is_traced = false;  // zero3 has sharded the model: it expects each forward to call every module
  std::vector<BufferState> buffers;
  bool operator==(const RankState&) const = default;
};

// The ranks that are explored together, and the registry that they share where they do.
struct UnitState {
  std::vector<RankState> ranks;
  std::vector<i16> registered_by;  // by buffer: the rank whose buffer the registry holds; -1: none

  // The same text for equal states.
  std::string key() const;
};

// What went wrong on a rank.
struct Failure {
  std::string cause;            // id; empty: none is claimed
  i16 event = -1;               // where it shows
  i16 culprit = -1;             // the first event that made it so; -1: the same
  i16 buffer = -1;              // -1: no buffer is at fault
  Label label = Label::Absent;  // of that buffer
  std::string text;             // what happened, as a sentence
  std::string meeting;          // of a race: where its two launches meet
  i32 run = -1;                 // the forward on the machine that shows it, by number
  bool operator==(const Failure&) const = default;
};

}  // namespace ropewalk::init
