// A launch of rewritten PTX: the same tensors and arguments, a buffer for records, and the table filled.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/finding/check.h"
#include "lib/launch/launch.h"
#include "lib/ptx/instrument.h"

namespace ropewalk::gpu {

// Memory that the table of a launch knows.
struct Range {
  i32 tensor = -1;       // index into the launch's tensors, or
  std::string variable;  // a module-scope variable
  u64 bytes = 0;
  i32 region = -1;  // of the tensor: what an argument for this region may touch
};

struct InstrumentedLaunch {
  Launch launch;              // for an executor; the tensors of the original come first
  std::vector<Range> ranges;  // by number, as records name them
  u32 records = 0;            // the tensor that holds the record buffer
  u32 capacity = 0;           // records that it can hold
  u32 first_record = 0;       // its byte offset
};

// How many ranges the table of this launch needs.
u32 range_count(const Launch& launch);

// What of a launch's module is rewritten for these checks.
ptx::InstrumentOptions instrument_options(const Launch& launch, CheckSet checks);

// `launch` with its module replaced by what `instrumented` made of it. capacity: records that are kept.
InstrumentedLaunch instrumented_launch(const Launch& launch, const ptx::Instrumented& instrumented, u32 capacity);

}  // namespace ropewalk::gpu
