// How strong a memory operation is, and among whom (PTX ISA, memory consistency model: operation types, scope).
#pragma once
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::machine {

// volatile is relaxed.sys; an atomic that names nothing is relaxed.gpu. Plain accesses are weak.
enum class Strength : u8 { Weak, Relaxed, Acquire, Release, AcquireRelease };
inline bool acquires(Strength it) { return it == Strength::Acquire || it == Strength::AcquireRelease; }
inline bool releases(Strength it) { return it == Strength::Release || it == Strength::AcquireRelease; }

// A cluster is one block here, as it is where a launch names none.
enum class Scope : u8 { Block, Device, System };
inline bool leaves_block(Scope scope) { return scope != Scope::Block; }

}  // namespace ropewalk::machine
