#include "reports/groups.h"

#include <algorithm>

namespace ropewalk::reports {

std::vector<CauseGroup> groups_of(const Report& report) {
  std::vector<CauseGroup> groups;
  CauseGroup unexplained;
  for (const Finding& finding : report.findings) {
    if (finding.waiver) continue;
    if (!finding.cause) {
      unexplained.findings.push_back(&finding);
      continue;
    }
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const CauseGroup& group) {
      const Finding& first = *group.findings.front();
      // What one barrier ends is one, whichever two accesses race.
      const bool lack_one_barrier = finding.cause->id == "missing-barrier" &&
                                    group.cause->advice == finding.cause->advice &&
                                    kernel_of(first) == kernel_of(finding);
      return group.cause->id == finding.cause->id && (group.cause->text == finding.cause->text || lack_one_barrier);
    });
    if (known == groups.end()) {
      groups.push_back({&*finding.cause, {&finding}});
    } else {
      known->findings.push_back(&finding);
    }
  }
  if (!unexplained.findings.empty()) groups.push_back(std::move(unexplained));
  // Only the first ones may be shown in full.
  for (CauseGroup& group : groups) {
    std::ranges::stable_sort(group.findings, [](const Finding* a, const Finding* b) {
      return a->severity == Severity::Error && b->severity != Severity::Error;
    });
  }
  return groups;
}

std::vector<const Finding*> waived_findings(const Report& report) {
  std::vector<const Finding*> waived;
  for (const Finding& finding : report.findings) {
    if (finding.waiver) waived.push_back(&finding);
  }
  return waived;
}

}  // namespace ropewalk::reports
