#include "reports/baseline.h"

#include <algorithm>

#include "lib/base/source_paths.h"
#include "reports/facts.h"

namespace ropewalk::reports {
namespace {

bool travels_as(const std::string& path, const std::string& other) {
  return travelling_name(path) == travelling_name(other);
}

// What stands at no instruction of PTX (a call, an event of a plan) is known by its message.
bool is_moved(const Finding& now, const Finding& before) {
  if (!now.location || !before.location) return false;
  if (now.location->instruction.empty() && now.message != before.message) return false;
  const FindingLocation &here = *now.location, &there = *before.location;
  const auto tensor_of = [](const Finding& finding) { return finding.access ? finding.access->tensor : std::string(); };
  return now.rule == before.rule && now.kernel_name == before.kernel_name && now.kernel_entry == before.kernel_entry &&
         here.file == there.file && (!here.file.empty() || travels_as(here.ptx_file, there.ptx_file)) &&
         here.column == there.column && here.instruction == there.instruction && tensor_of(now) == tensor_of(before);
}

}  // namespace

void waive_known(Report& report, const Report& baseline, const std::string& path) {
  std::vector<const Finding*> left;
  for (const Finding& finding : baseline.findings) left.push_back(&finding);
  const auto waive_by = [&](auto is_same, const std::string& reason) {
    for (Finding& finding : report.findings) {
      if (finding.waiver) continue;
      const auto known =
          std::find_if(left.begin(), left.end(), [&](const Finding* one) { return is_same(finding, *one); });
      if (known == left.end()) continue;
      finding.waiver = Waiver{Waiver::By::Baseline, reason};
      left.erase(known);
    }
  };
  // Equal ids first: a finding that stayed must not lose its place to one that moved.
  waive_by([](const Finding& now, const Finding& before) { return now.id == before.id; }, "it is in " + path);
  waive_by([](const Finding& now, const Finding& before) { return defect_id(now) == defect_id(before); },
           "it is in " + path);
  waive_by(is_moved, "it is in " + path + ", at another line");
  if (!left.empty()) {
    report.notes.push_back(counted(left.size(), "finding") + " of the baseline " + path +
                           (left.size() == 1 ? " was" : " were") + " not seen again");
  }
}

}  // namespace ropewalk::reports
