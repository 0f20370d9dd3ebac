// How strong a memory operation is, and among whom (PTX ISA, memory consistency model: operation types, scope).
#pragma once
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::machine {

// volatile is relaxed.sys; an atomic that names nothing is relaxed.gpu. Plain accesses are weak.
enum class Strength : u8 { Weak, Relaxed, Acquire, Release, AcquireRelease };
inline bool acquires(Strength it) { return it == Strength::Acquire || it == Strength::AcquireRelease; }
inline bool releases(Strength it) { return it == Strength::Release || it == Strength::AcquireRelease; }

// The scope of a cluster is the block's where a kernel names none, and else the device's.
enum class Scope : u8 { Block, Device, System };
inline bool leaves_block(Scope scope) { return scope != Scope::Block; }

// What an instruction is taken for that it is not, to find out what a race lacks (missing_order.h): bits.
enum Assumed : u8 { assumed_release = 1, assumed_acquire = 2, assumed_device = 4 };
inline Strength with(Strength it, u8 assumed) {
  const bool acquire = acquires(it) || (assumed & assumed_acquire),
             release = releases(it) || (assumed & assumed_release);
  if (acquire && release) return Strength::AcquireRelease;
  return acquire ? Strength::Acquire : release ? Strength::Release : it;
}
inline Scope with(Scope it, u8 assumed) {
  return it == Scope::Block && (assumed & assumed_device) ? Scope::Device : it;
}

}  // namespace ropewalk::machine
