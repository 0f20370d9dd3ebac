// rope-check: rotary kernels, and any PTX, executed on the CPU with every access checked.
#include "tools/run_program.h"

int main(int count, char** words) {
  return ropewalk::tools::run_program(ropewalk::tools::rope_check_program, count, words);
}
