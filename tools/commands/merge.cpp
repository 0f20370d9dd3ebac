#include "reports/merge.h"

#include "lib/base/mapped_file.h"
#include "reports/json.h"
#include "tools/commands/examine.h"

namespace ropewalk::tools {

reports::Report examine(const MergeOptions& options, const Request& request) {
  std::vector<reports::ReportFile> files;
  for (const std::string& path : options.files) {
    files.push_back({path, reports::parse_json_report(MappedFile(path).text(), path)});
  }
  reports::Report report = reports::merged(std::move(files));
  if (options.files.size() > 1) report.command = request.command_line;
  reports::conclude(report, report.strict || request.shared.strict);
  return report;
}

}  // namespace ropewalk::tools
