// A baseline: a report of before. What it holds is known, and only new findings fail the run.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk::reports {

// Waives the findings that `baseline` has too, whatever their waiver there. Two findings are the same where their ids
// are equal; or where they have moved, that is, where rule, kernel, file, column, tensor and the text of the PTX
// instruction (of what stands at none, the message) are equal and the line alone differs. Each finding of the baseline
// waives one. A note counts those that were not seen again. `path` is given as the reason.
void waive_known(Report& report, const Report& baseline, const std::string& path);

}  // namespace ropewalk::reports
