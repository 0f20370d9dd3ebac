// Which checks were made, written by who made them.
#pragma once
#include <string>
#include <vector>

#include "lib/launch/launch.h"
#include "reports/report.h"
#include "tools/options/shared.h"

namespace ropewalk::tools {

// The checks of one case.
struct MadeChecks {
  std::vector<std::string> made;
  std::vector<reports::CheckLeftOut> left_out;
};

// Of a launch that the executor of these options has run: those that were asked for, that the executor can make, and
// that the launch gives something to look at.
MadeChecks checks_made(const SharedOptions& shared, const Launch& launch);
// The same of our own kernels in a campaign, whose launches give every check something to look at.
MadeChecks checks_made(const SharedOptions& shared);

// Puts the checks of all cases that ran together. A check that only some of them made is made, and reported with the
// number of those that left it out.
void tell_checks(reports::Coverage& coverage, const std::vector<MadeChecks>& cases);

}  // namespace ropewalk::tools
