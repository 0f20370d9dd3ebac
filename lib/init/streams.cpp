#include "lib/init/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ropewalk::init {
namespace {

// The first byte that both touch; empty: none.
std::optional<u64> common_byte(const std::vector<u64>& a, const std::vector<u64>& b) {
  for (size_t word = 0; word < std::min(a.size(), b.size()); ++word) {
    if (const u64 both = a[word] & b[word]) return word * 64 + u64(std::countr_zero(both));
  }
  return std::nullopt;
}

std::string text_of(const BufferAccesses& accesses, const BufferAccesses::Instruction* at, u64 byte) {
  if (!at) return accesses.writes ? "a copy writes it" : "a copy reads it";
  return fmt::format("{} {} byte {} of {} at {}:{}", accesses.kernel, at->bytes.write ? "writes" : "reads", byte,
                     at->tensor, at->bytes.location.file, at->bytes.location.line);
}

u64 first_byte(const BufferAccesses::Instruction& instruction) {
  return common_byte(instruction.bytes.bytes, instruction.bytes.bytes).value_or(0);
}

// A copy against a launch.
std::optional<Conflict> meeting_of_copy(const BufferAccesses& copy, const BufferAccesses& launch, bool copy_is_first) {
  for (const BufferAccesses::Instruction& at : launch.instructions) {
    if (!copy.writes && !at.bytes.write) continue;
    const std::string of_copy = text_of(copy, nullptr, 0), of_launch = text_of(launch, &at, first_byte(at));
    return copy_is_first ? Conflict{of_copy, of_launch} : Conflict{of_launch, of_copy};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Conflict> conflict_of(const BufferAccesses& first, const BufferAccesses& second) {
  if (first.kernel.empty() && second.kernel.empty()) {
    if (!first.writes && !second.writes) return std::nullopt;
    return Conflict{text_of(first, nullptr, 0), text_of(second, nullptr, 0)};
  }
  if (first.kernel.empty()) return meeting_of_copy(first, second, true);
  if (second.kernel.empty()) return meeting_of_copy(second, first, false);
  for (const BufferAccesses::Instruction& a : first.instructions) {
    for (const BufferAccesses::Instruction& b : second.instructions) {
      if (a.tensor != b.tensor || (!a.bytes.write && !b.bytes.write)) continue;
      if (const std::optional<u64> byte = common_byte(a.bytes.bytes, b.bytes.bytes)) {
        return Conflict{text_of(first, &a, *byte), text_of(second, &b, *byte)};
      }
    }
  }
  return std::nullopt;
}

void add_access(std::vector<PastAccess>& past, const PastAccess& access) {
  std::erase_if(past, [&](const PastAccess& old) {
    return old.accesses == access.accesses && old.stream == access.stream && old.event == access.event;
  });
  past.push_back(access);
}

void wait_for(std::vector<PastAccess>& past, u32 stream, u32 for_stream) {
  for (PastAccess& access : past) {
    if (access.behind >> for_stream & 1) access.behind |= u32(1) << stream;
  }
}

}  // namespace ropewalk::init
