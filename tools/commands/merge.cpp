#include "reports/merge.h"

#include "lib/base/mapped_file.h"
#include "reports/json.h"
#include "tools/commands/examine.h"

namespace ropewalk::tools {

Report examine(const MergeOptions& options, const Request& request) {
  std::vector<ReportFile> files;
  for (const std::string& path : options.files) {
    files.push_back({path, parse_json_report(MappedFile(path).text(), path)});
  }
  Report report = merged(std::move(files));
  if (options.files.size() > 1) report.command = request.command_line;
  conclude(report, report.strict || request.shared.strict);
  return report;
}

}  // namespace ropewalk::tools
