// The findings of a report in the groups that a reader takes them in: by cause.
#pragma once
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

// Findings that one hypothesis explains.
struct CauseGroup {
  const Cause* cause = nullptr;  // null: nothing explains them; else that of the first finding
  std::vector<const Finding*> findings;
};

// Groups of equal cause texts in the order of their first finding; those without a cause last. Waived findings are
// left out. The pointers are into the report.
std::vector<CauseGroup> groups_of(const Report& report);

std::vector<const Finding*> waived_findings(const Report& report);

}  // namespace ropewalk::reports
