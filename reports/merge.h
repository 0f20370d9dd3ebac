// Several reports made one, such as those of the shards of a campaign.
#pragma once
#include <string>
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

// A report and the file that it was read from, for messages.
struct ReportFile {
  std::string path;
  Report report;
};

// What a report calls a campaign or one of its shards that did not run to its end: "shard 2 of 4", counted from 0 as
// --shard does, or "the campaign".
std::string part_name(u64 shard_index, u64 shard_count);

// Equal findings (by id) are one, with their counts added and the smallest of their minimal cases; cases, coverage and
// times are added, and of campaigns what was covered is united. Shards of one campaign must have the same seed, budget
// and kernels, and each may be given once: else InputError. A shard that is not given is named as not run, so that the
// verdict is never clean without it. The result does not depend on the order of the files but for the order of
// findings. At least one report.
Report merged(std::vector<ReportFile> files);

}  // namespace ropewalk::reports
