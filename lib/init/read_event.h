// One event of a plan file.
#pragma once
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/init/plan.h"

namespace ropewalk::init {

// The event without its constraints; streams that are new are added to the plan. Throws InputError.
Event read_event(const JsonCursor& cursor, Plan& plan);

// One of the names, by number. Throws InputError that names the nearest.
size_t read_choice(const JsonCursor& cursor, const std::vector<std::string>& names, const char* what);
// Fails where an object has other keys than these.
void expect_known_keys(const JsonCursor& cursor, const std::vector<std::string>& known);

}  // namespace ropewalk::init
