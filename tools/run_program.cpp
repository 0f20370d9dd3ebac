#include "tools/run_program.h"

#include <csignal>

#include "tools/atlas/atlas.h"
#include "tools/catching.h"
#include "tools/commands/answer.h"
#include "tools/commands/examine.h"
#include "tools/commands/run.h"
#include "tools/commands/trace.h"
#include "tools/parse/parse.h"
#include "tools/run/report_out.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {
namespace {

// The files that the command reads, but for reports: one that is brought up to date in place is none of these.
std::vector<std::string> inputs_of(const Request& request) {
  std::vector<std::string> inputs;
  if (const auto* launch = std::get_if<LaunchOptions>(&request.command)) inputs = launch->files;
  if (const auto* init = std::get_if<InitOptions>(&request.command)) inputs = {init->file};
  if (const auto* compat = std::get_if<CompatOptions>(&request.command)) inputs = {compat->provider, compat->caller};
  if (const auto* cache = std::get_if<CacheOptions>(&request.command)) {
    inputs = cache->files;
    inputs.push_back(cache->config);
  }
  inputs.push_back(request.shared.suppressions);
  std::erase(inputs, "");
  return inputs;
}

ExitCode serve(const Program& program, const std::vector<std::string>& arguments) {
  Request request = parse_command_line(arguments, program);
  if (const std::optional<std::string> text = answer_to(request.command)) {
    print(*text);
    return ExitCode::Clean;
  }
  if (const auto* trace = std::get_if<TraceRequest>(&request.command)) return run_trace(*trace, request.command_line);
  settle_root(request);
  require_report_files(request.shared, inputs_of(request));
  if (const auto* atlas = std::get_if<AtlasOptions>(&request.command)) return run_atlas(*atlas, request);
  if (const auto* run = std::get_if<RunRequest>(&request.command)) return run_program_on_machine(*run, request);
  return put_out(examine(request), request.shared);
}

}  // namespace

int run_program(const Program& program, int count, char** words) {
  std::signal(SIGXFSZ, SIG_IGN);  // nor a file that may not grow: write fails and says so
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not cost us the report and the exit code
  return int(catching(program.name.c_str(), [&] { return serve(program, {words + 1, words + count}); }));
}

}  // namespace ropewalk::tools
