#include "lib/diagnose/access_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace ropewalk::diagnose {

namespace {

// "@%p1 ld.shared.u32 ..." from "ld." on.
std::string_view without_predicate(std::string_view instruction) {
  return instruction.starts_with('@') ? instruction.substr(instruction.find(' ') + 1) : instruction;
}

bool begins_with(std::string_view instruction, std::initializer_list<std::string_view> stems) {
  const std::string_view opcode = without_predicate(instruction);
  return std::ranges::any_of(stems, [&](std::string_view stem) { return opcode.starts_with(stem); });
}

std::string line_text(const FindingLocation& location) {
  return location.file.empty() ? fmt::format("PTX line {}", location.ptx_line)
                               : fmt::format("{}:{}", location.file, location.line);
}

bool reads(const std::string& instruction, Rule race) {
  return is_load(instruction) || (is_copy(instruction) && race == Rule::GlobalRace);
}

}  // namespace

bool is_load(std::string_view instruction) { return begins_with(instruction, {"ld.", "ldmatrix."}); }
bool is_store(std::string_view instruction) { return begins_with(instruction, {"st.", "stmatrix."}); }
bool is_atomic(std::string_view instruction) { return begins_with(instruction, {"atom.", "red."}); }
bool is_copy(std::string_view instruction) { return begins_with(instruction, {"cp.async."}); }

const char* does(const std::string& instruction, Rule race) {
  return reads(instruction, race) ? "reads" : is_atomic(instruction) ? "changes" : "writes";
}

const char* is_done_to(const std::string& instruction, Rule race) {
  return reads(instruction, race) ? "is read" : is_atomic(instruction) ? "is changed" : "is overwritten";
}

bool is_of_one_thread(const Finding& race) {
  return race.thread && race.other_thread && std::ranges::equal(race.thread->block, race.other_thread->block) &&
         std::ranges::equal(race.thread->thread, race.other_thread->thread);
}

bool are_of_one_warp(const ThreadId& a, const ThreadId& b, const Dim3& block) {
  const auto warp_of = [&](const ThreadId& it) {
    return ((it.thread[2] * block.y + it.thread[1]) * block.x + it.thread[0]) / 32;
  };
  return std::ranges::equal(a.block, b.block) && warp_of(a) == warp_of(b);
}

bool same_position(const FindingLocation& a, const FindingLocation& b) {
  return !a.file.empty() && a.file == b.file && a.line == b.line;
}

std::string text_apart(const FindingLocation& location, const FindingLocation& other) {
  const std::vector<SourcePosition>&chain = location.inlined, &others = other.inlined;
  std::size_t common = 0;  // calls, from the outermost on
  const auto nth = [](const std::vector<SourcePosition>& it, std::size_t n) {
    return std::pair(it[it.size() - 1 - n].file, it[it.size() - 1 - n].line);
  };
  while (common < chain.size() && common < others.size() && nth(chain, common) == nth(others, common)) ++common;
  if (common < chain.size()) {
    const auto [file, line] = nth(chain, common);
    return fmt::format("{}:{}", file, line);
  }
  return line_text(location);
}

std::string location_text(const FindingLocation& location, const FindingLocation& other) {
  if (!location.inlined.empty() || !other.inlined.empty()) {
    const std::string apart = text_apart(location, other);
    if (apart != text_apart(other, location)) return apart;
  }
  const std::string line = line_text(location);
  return same_position(location, other) ? fmt::format("{} (PTX line {})", line, location.ptx_line) : line;
}

std::string location_text(const FindingLocation& location, const std::vector<FindingLocation>& all) {
  const auto like_it = std::ranges::find_if(all, [&](const FindingLocation& other) {
    return other.ptx_line != location.ptx_line && same_position(other, location);
  });
  return location_text(location, like_it == all.end() ? FindingLocation() : *like_it);
}

}  // namespace ropewalk::diagnose
