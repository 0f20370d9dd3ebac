// Random PTX programs whose results are defined to the last bit, for holding one executor against another.
#pragma once
#include <string>

#include "lib/launch/launch.h"

namespace ropewalk::generate {

struct RandomProgram {
  std::string text;  // PTX 7.8 for sm_80; of every fourth seed PTX 8.7 for sm_89 or sm_90, with 8-bit floats
  Launch launch;     // of two blocks of 64 threads; tensors "in", "out", "sums" and "wild"
};

// The program of that seed: some forty instructions over registers of all sizes, straight, predicated, in branches and
// in a short loop, with shared memory, atomics, operations of the warp and products of matrices between them. Every
// register is stored at the end. Instructions that PTX lets be approximate stand in approximate_program.h.
// stray: one store lands in or behind "wild" at random, so that there are accesses to find; else all are in bounds.
RandomProgram random_program(u64 seed, bool stray = false);

}  // namespace ropewalk::generate
