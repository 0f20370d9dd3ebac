// RW_LANE stands before functions that are called once a lane in loops that the compiler turns into vector code. They
// are compiled once for each instruction set that the machine supports: static and always inlined, so that the linker
// never merges the body of one translation unit into another.
#pragma once

#define RW_LANE static inline __attribute__((always_inline))
