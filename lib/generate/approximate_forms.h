// The instructions whose results PTX states an error for, and no bits.
#pragma once
#include <span>

#include "lib/base/types.h"

namespace ropewalk::generate {

enum class ApproximateType { F32, F16, BF16 };

struct ApproximateForm {
  const char* opcode;
  ApproximateType type;
  bool flushes;       // subnormal operands and results count as zero
  bool needs_hopper;  // sm_90
  u32 operands;       // 1 or 2
  double low, high;   // where most operands are drawn from
  double (*truth)(double a, double b);
  // The largest error that the manual allows (PTX ISA, "Floating Point Instructions" and "Half Precision Floating Point
  // Instructions"), for operands that were flushed where they are, and normal results; infinite where it states none.
  // Where a device was measured to be further off, that.
  double (*error)(double a, double b, double truth);
};

std::span<const ApproximateForm> approximate_forms();

}  // namespace ropewalk::generate
