// attn-fuzz: attention kernels, executed on the CPU with every access checked, over problems that look for trouble.
#include "tools/run_program.h"

int main(int count, char** words) {
  return ropewalk::tools::run_program(ropewalk::tools::attn_fuzz_program, count, words);
}
