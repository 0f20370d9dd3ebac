// The families. A new one is a line here, and its folders in lib/families, reference and kernels.
#pragma once

// FAMILY(name, program): the program whose campaigns draw its problems. Its problems are called by the name with "-"
// for "_". lib/families/NAME defines `const Family& NAME::family()`, kernels/NAME
// `FamilyKernels kernels::NAME_family_kernels()`.
#define ROPEWALK_FAMILIES(FAMILY) \
  FAMILY(rotary, rope_check)      \
  FAMILY(attention, attn_fuzz)    \
  FAMILY(cache_store, attn_fuzz)
