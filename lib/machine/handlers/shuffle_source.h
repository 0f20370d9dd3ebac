// Where a lane reads in shfl.sync.
#pragma once
#include "lib/machine/mode.h"

namespace ropewalk::machine {

struct ShuffleSource {
  u32 lane = 0;
  bool inside = false;  // of the segment; outside a lane reads itself
};

// b is the lane or its distance, c holds the clamp in bits 0-4 and the segment mask in bits 8-12 (PTX ISA, shfl.sync).
inline ShuffleSource shuffle_source(ShuffleMode mode, u32 lane, u32 b, u32 c) {
  const u32 distance = b & 31, clamp = c & 31, segment = (c >> 8) & 31;
  const i32 highest = i32((lane & segment) | (clamp & ~segment & 31));
  i32 from = 0;
  bool inside = false;
  switch (mode) {
    case ShuffleMode::Up:
      from = i32(lane) - i32(distance);
      inside = from >= highest;
      break;
    case ShuffleMode::Down:
      from = i32(lane + distance);
      inside = from <= highest;
      break;
    case ShuffleMode::Butterfly:
      from = i32(lane ^ distance);
      inside = from <= highest;
      break;
    case ShuffleMode::Index:
      from = i32((lane & segment) | (distance & ~segment & 31));
      inside = from <= highest;
      break;
  }
  return {inside ? u32(from) : lane, inside};
}

}  // namespace ropewalk::machine
