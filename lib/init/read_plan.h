// Reads plan files, "ropewalk.plan/1".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/init/plan.h"

namespace ropewalk::init {

// ranks: in place of the plan's own number. Throws InputError with file and field: an unknown key, event, buffer or
// option (the nearest known one is named), an option that another kind of event has, constraints that go in a circle.
Plan read_plan(std::string_view text, const std::string& path, std::optional<u32> ranks = std::nullopt);
Plan read_plan_file(const std::string& path, std::optional<u32> ranks = std::nullopt);

}  // namespace ropewalk::init
