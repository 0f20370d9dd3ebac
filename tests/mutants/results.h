// What became of mutants, and what is reported of it.
#pragma once
#include <string>
#include <vector>

#include "tests/mutants/argued.h"
#include "tests/mutants/trial.h"

namespace ropewalk::mutants {

enum class Fate : u8 {
  Found,       // by a campaign's case
  Equivalent,  // argued to do the same wherever the preconditions allow a launch
  Survivor,    // neither: the checks miss something, or an argument is missing
  NotRun       // it ended otherwise, which says nothing
};

struct Result {
  const Target* target = nullptr;
  Mutant mutant;
  Verdict verdict;
  Fate fate = Fate::Found;
  std::string reason;  // the argument, or what is wrong with it
};

// Decides the fate of each mutant; what an argument claims of survivors is tried.
void hold_against(const std::vector<Argued>& argued, std::vector<Result>& results);

// The arguments that fit none but mutants that are found.
std::vector<std::string> unneeded(const std::vector<Argued>& argued, const std::vector<Result>& results);

// "rotary_apply_half_f32_f32:204:relaxed-comparison  kernels/rotary/apply.cu:32  setp.lt.s32 ...  lt becomes le"
std::string line_of(const Mutant& mutant);

// Prints each mutant with its fate, then the kill rate by kernel; writes the same as JSON where `report` names a file.
// True where every mutant is found or argued for and no argument is unneeded.
bool tell(const std::vector<Result>& results, const std::vector<std::string>& unneeded, const std::string& report);

}  // namespace ropewalk::mutants
