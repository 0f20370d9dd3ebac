#include "tools/run_program.h"

#include <csignal>

#include "tools/atlas/atlas.h"
#include "tools/commands/answer.h"
#include "tools/commands/cache.h"
#include "tools/commands/compat.h"
#include "tools/commands/init.h"
#include "tools/commands/merge.h"
#include "tools/commands/plan.h"
#include "tools/fuzz/fuzz.h"
#include "tools/guard.h"
#include "tools/parse/parse.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"

namespace ropewalk {
namespace {

ExitCode serve(const Program& program, const std::vector<std::string>& arguments) {
  const Request request = parse_command_line(arguments, program);
  if (const std::optional<std::string> text = answer_to(request.command)) {
    print(*text);
    return ExitCode::Clean;
  }
  require_report_files(request.shared);
  if (const auto* atlas = std::get_if<AtlasOptions>(&request.command)) return run_atlas(*atlas, request);
  if (const auto* campaign = std::get_if<FuzzOptions>(&request.command)) return run_fuzz(*campaign, request);
  const auto* caches = std::get_if<CacheOptions>(&request.command);
  const auto* sides = std::get_if<CompatOptions>(&request.command);
  const auto* plan = std::get_if<InitOptions>(&request.command);
  const auto* merge = std::get_if<MergeOptions>(&request.command);
  const Report report = merge    ? merge_reports(*merge, request)
                        : caches ? check_caches(*caches, request)
                        : sides  ? check_compatibility(*sides, request)
                        : plan   ? explore_plan(*plan, request)
                                 : run(plan_of(request), request);
  return exit_code_of(put_out(report, request.shared));
}

}  // namespace

int run_program(const Program& program, int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not cost us the report and the exit code
  return int(guarded(program.name.c_str(), [&] { return serve(program, {words + 1, words + count}); }));
}

}  // namespace ropewalk
