// attn-fuzz: attention kernels, executed on the CPU with every access checked, over problems that look for trouble.
#include "tools/run_program.h"

int main(int count, char** words) { return ropewalk::run_program(ropewalk::attn_fuzz_program, count, words); }
