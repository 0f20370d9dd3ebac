// Where a lane reads in shfl.sync.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

struct ShuffleSource {
  u32 lane = 0;
  bool inside = false;  // of the segment; outside a lane reads itself
};

// `mode` is the first letter of up, down, bfly, idx; b is the lane or its distance, c holds the clamp in bits 0-4 and
// the segment mask in bits 8-12 (PTX ISA, shfl.sync).
inline ShuffleSource shuffle_source(char mode, u32 lane, u32 b, u32 c) {
  const u32 distance = b & 31, clamp = c & 31, segment = (c >> 8) & 31;
  const i32 highest = i32((lane & segment) | (clamp & ~segment & 31));
  i32 from = 0;
  bool inside = false;
  switch (mode) {
    case 'u':
      from = i32(lane) - i32(distance);
      inside = from >= highest;
      break;
    case 'd':
      from = i32(lane + distance);
      inside = from <= highest;
      break;
    case 'b':
      from = i32(lane ^ distance);
      inside = from <= highest;
      break;
    default:
      from = i32((lane & segment) | (distance & ~segment & 31));
      inside = from <= highest;
      break;
  }
  return {inside ? u32(from) : lane, inside};
}

}  // namespace ropewalk::machine
