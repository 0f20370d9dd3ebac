// What the instruction at a location does to memory, and what a sentence calls the location.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/launch/launch.h"

namespace ropewalk::diagnose {

// Of an instruction's text, whatever predicate it has. In debug builds the address is a generic one.
bool is_load(std::string_view instruction);
bool is_store(std::string_view instruction);
bool is_atomic(std::string_view instruction);
// A copy that another instruction waits for.
bool is_copy(std::string_view instruction);

// "reads"; and what it does to what another thread left there: "is read". What is copied from global memory to shared
// is read in the one and written in the other.
const char* does(const std::string& instruction, Rule race);
const char* is_done_to(const std::string& instruction, Rule race);

bool is_of_one_thread(const Finding& race);
// Whether two threads are of one warp. block: threads of a block.
bool are_of_one_warp(const ThreadId& a, const ThreadId& b, const Dim3& block);
bool same_position(const FindingLocation& a, const FindingLocation& b);
// Where the kernel's own text comes to this location, and to the other one elsewhere: the call, if they are in
// functions that many call. Of PTX without lines, its line.
std::string text_apart(const FindingLocation& location, const FindingLocation& other);
// `other`: a location of the same sentence, which the text tells apart from it: by the calls, or by lines.
std::string location_text(const FindingLocation& location, const FindingLocation& other);
// The same of several, of which it is one.
std::string location_text(const FindingLocation& location, const std::vector<FindingLocation>& all);

}  // namespace ropewalk::diagnose
