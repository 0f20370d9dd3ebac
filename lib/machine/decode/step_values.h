// The values that a step reads and writes.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// body(value) for every value that the step reads, its predicate and addresses included.
template <class Body>
void for_reads(const Step& step, Body body) {
  for (const u32 value : {step.a, step.b, step.c, step.e, step.predicate}) {
    if (value != no_value) body(value);
  }
  for (const u32 value : step.inputs) body(value);
  if (!step.memory) return;
  for (const u32 value : {step.memory->address, step.memory->source_address}) {
    if (value != no_value) body(value);
  }
}

// body(value) for every value that it writes.
template <class Body>
void for_writes(const Step& step, Body body) {
  if (step.d != no_value) body(step.d);
  if (step.d2 != no_value) body(step.d2);
  for (const u32 value : step.outputs) body(value);
}

}  // namespace ropewalk::machine
