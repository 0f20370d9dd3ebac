// The options of the mutants' program.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::mutants {

struct Options {
  std::vector<std::string> kernels;  // names of families; empty: all healthy families of rotary problems
  std::vector<std::string> entries;  // patterns of the entries that are mutated; empty: all
  std::string only = "*";            // pattern of the mutants' names
  u64 every = 1;                     // of the mutants, take each so-manieth
  u64 cases = 1500;                  // that a mutant must outlive to count as a survivor
  u64 seed = 1;
  u32 jobs = 0;                                                           // 0: one a core
  bool list = false;                                                      // name the mutants, run none
  std::string argued = ROPEWALK_SOURCE_DIR "/tests/mutants/argued.json";  // file of the survivors that are argued for
  std::string report;                                                     // file for the results as JSON; empty: none
  bool help = false;
};

// Throws InputError for a word that is no option, or a value that is none.
Options parse_options(const std::vector<std::string>& words);
std::string help_text();

}  // namespace ropewalk::mutants
