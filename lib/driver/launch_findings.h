// What the findings of a launch say besides in a program's run: whose memory it is, who launched, and what they end
// with.
#pragma once
#include <string>
#include <vector>

#include "lib/driver/launch.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

// Of a launch as a whole.
Finding finding_about(const Kernel& kernel, Rule rule, std::string message);

// The memory that the address of a finding lies in; null: none.
const Allocation* memory_at(const Finding& finding, DeviceMemory& memory);

// Adds where the launch was made (stack) and the memory that the finding is about, and makes its id.
void add_facts(Finding& finding, Session& session, const LaunchRequest& request, const Launch& launch,
               const std::vector<std::string>& stack);

// An access to memory of another device, which the launch does not know of.
void name_other_device(Finding& finding, const Allocation& at, const OwnerOfMemory& owner, u32 device);

// What an earlier launch would have written is not there: an address or a number may come of that.
void doubt(Finding& finding);
// The same of what a launch did, unless it would do so whatever the memory holds.
void doubt_values(const Outcome& outcome, Finding& finding);

bool has_errors(const std::vector<Finding>& findings);

// What the launch answers: a device's error that ends the context, or a launch that is refused.
Result answer_of(const std::vector<Finding>& findings);

// What a GPU surely ends the context with: accesses that none lets pass. Success: nothing. What lies just outside of
// memory most often is somebody else's there.
Result fault_of(const std::vector<Finding>& findings, DeviceMemory& memory);

}  // namespace ropewalk::driver
