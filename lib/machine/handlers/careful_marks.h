// What is known of bytes in memory besides their values.
//
// A byte of shared or local memory, or of a tensor that starts without values, is initialised or not (a bit each). Of
// one that is not, Block::undefined_bytes may know more: a value was stored there that nobody wrote, and where it comes
// from.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine::careful {

// The mark of a value made of both.
Mark joined(Block& block, Mark a, Mark b);

// The mark of `bytes` bytes of a read, from its byte `at` on. Bytes that nobody wrote are given this read as their
// source.
Mark mark_read(AccessEvent& event, const Verdict& verdict, u32 at, u32 bytes);

// After bytes were stored: they hold a value, or one with this mark.
void mark_stored(const AccessEvent& event, u32 at, u32 bytes, Mark mark);

// The same for a byte of shared memory that a cp.async fills.
void mark_copied(Block& block, const PendingCopy& copy);

}  // namespace ropewalk::machine::careful
