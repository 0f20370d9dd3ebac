// One event of a plan file.
#pragma once
#include "lib/base/json.h"
#include "lib/init/plan.h"

namespace ropewalk::init {

// The event without its constraints; streams that are new are added to the plan. Throws InputError.
Event read_event(const JsonCursor& cursor, Plan& plan);
// One of those that buffers and modules have.
Dtype read_dtype(const JsonCursor& cursor);

}  // namespace ropewalk::init
