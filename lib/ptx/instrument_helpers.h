// The functions that a rewritten module calls when an access may be bad, as PTX; inside of lib/ptx only.
#pragma once
#include <string>

#include "lib/base/types.h"

namespace ropewalk::ptx {

constexpr const char* record_function = "ropewalk_record";
constexpr const char* judge_function = "ropewalk_judge";

// The table of that many bytes and both functions:
//   ropewalk_record(address, offset, site, range): appends a record, or counts alone where the buffer is full.
//   ropewalk_judge(address, site, range, bytes, mask) -> skip: looks closely at an access to global memory, in one
//   range or in the nearest one; records what is wrong with it; skip is 1 where it must not be performed. `mask` holds
//   the bits of the address that must be zero.
std::string instrument_helpers(u32 table_bytes);

}  // namespace ropewalk::ptx
