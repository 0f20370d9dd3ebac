#include "lib/base/stopwatch.h"
#include "lib/compat/check_compatibility.h"
#include "tools/commands/examine.h"
#include "tools/run/run.h"

namespace ropewalk::tools {

reports::Report examine(const CompatOptions& options, const Request& request) {
  const Stopwatch watch;
  Answer answer;
  try {
    const compat::Provider provider = compat::load_provider(options.provider, options.provider_version);
    answer = check_compatibility(*load_caller(options.caller, provider), provider);
  } catch (const compat::NoPython& reason) {
    // Without Python's parser sources are not read, and nothing is checked.
    answer.cases = 1;
    answer.not_judged.push_back({options.caller + " with " + options.provider, reason.what()});
  }
  std::vector<std::string> checks;
  if (answer.not_judged.empty()) checks.emplace_back("signatures");
  return report_of(std::move(answer), "none", std::move(checks), request, watch);
}

}  // namespace ropewalk::tools
