// Streams of a device, and what work on them did to the memory of a buffer.
//
// Work on one stream is ordered; work on two streams only where one has waited for the other. An access that later ones
// may conflict with remembers which streams are ordered behind it, a bit a stream: of vector clocks (Mattern, "Virtual
// Time and Global States of Distributed Systems", 1989) it is the part that can decide anything. Two launches race
// where both touch a byte, one of them writes it, and the stream of the second is not ordered behind the first. Which
// bytes a launch touches is recorded by the machine; a copy touches all of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/launch/outcome.h"

namespace ropewalk::init {

// What a launch or a copy does to the bytes of a buffer.
struct BufferAccesses {
  struct Instruction {
    std::string tensor;  // "cos", "sin" or "frequencies"
    InstructionAccesses bytes;
  };
  std::string kernel;   // "rotary/cache"; empty: a copy of everything
  bool writes = false;  // of a copy
  std::vector<Instruction> instructions;
};

// One that has happened, by its number in the workshop.
struct PastAccess {
  u32 accesses = 0;
  i16 event = -1;
  u8 stream = 0;
  u32 behind = 0;  // streams that are ordered behind it, a bit a stream
  bool operator==(const PastAccess&) const = default;
};

// Where two meet: "writes cos[byte 0] at kernels/rotary/cache.cu:31", for each of them.
struct Conflict {
  std::string first, second;
};
std::optional<Conflict> conflict_of(const BufferAccesses& first, const BufferAccesses& second);

// Streams that are ordered behind what is issued once the host has waited.
constexpr u32 every_stream = ~u32(0);

// Adds an access of a stream. Of equal ones on one stream the last is kept: whoever is ordered behind it is behind all.
void add_access(std::vector<PastAccess>& past, const PastAccess& access);
// `stream` waits for all that was issued on `for_stream` so far.
void wait_for(std::vector<PastAccess>& past, u32 stream, u32 for_stream);

}  // namespace ropewalk::init
