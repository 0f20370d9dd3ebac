#include "tools/commands/trace.h"

#include <cstdio>

#include "lib/base/error.h"
#include "lib/base/scratch_folder.h"
#include "lib/base/stopwatch.h"
#include "lib/gpu/gpu.h"
#include "lib/trace/trace_report.h"
#include "reports/file.h"
#include "reports/printable.h"
#include "reports/trace_texts.h"

namespace ropewalk::tools {
namespace {

trace::TraceOptions trace_options(const TraceRequest& options) {
  trace::TraceOptions out;
  out.command = options.command;
  out.keep = options.keep;
  out.at = options.at;
  out.serialize = options.serialize || (!options.capture.empty() && !options.at);
  out.save_bytes = options.capture.empty() ? 0 : options.most_captured_bytes;
  return out;
}

// A report that cannot be written is reported, and costs nothing else. Whether the body went through.
template <class Body>
bool tell_failure(const char* kind, const Body& body) {
  try {
    body();
    return true;
  } catch (const InputError& error) {
    std::fprintf(stderr, "rope-check: %s: %s\n", kind, reports::printable(error.what()).c_str());
    return false;
  }
}

std::string why_no_record() {
  std::string out = "the program never started the CUDA driver";
  const std::string unavailable = gpu::device_info().unavailable;
  return unavailable.empty() ? out : out + "; there is none to start here (" + unavailable + ")";
}

}  // namespace

ExitCode run_trace(const TraceRequest& options, const std::string& command_line) {
  for (const std::string& path : options.reports) tell_failure("warning", [&] { reports::require_writable(path); });
  const std::string library = trace::find_library();
  const ScratchFolder scratch("trace");
  const Stopwatch watch;
  trace::TraceReport report;
  report.version = ROPEWALK_VERSION;
  report.command = command_line;
  report.traced = options.command;
  report.end = trace::run_traced(trace_options(options), library, scratch.path());
  if (!report.end.not_started.empty()) throw InputError("trace: " + report.end.not_started);
  report.processes = trace::judge({scratch.path(), options.ptx, options.capture});
  if (report.processes.empty()) {
    report.not_run = why_no_record();
  } else if (report.end.signal && !report.has_errors()) {
    report.not_run = "the program died before its end: errors of what it had not waited for are not known";
  }
  report.duration_s = watch.seconds();
  std::fputs(reports::trace_text(report).c_str(), stderr);
  bool all_written = true;
  for (const std::string& path : options.reports) {
    all_written &= tell_failure("error", [&] { reports::write_file_atomically(path, reports::trace_json(report)); });
  }
  const ExitCode end = exit_code_of(reports::verdict_of(report));
  return all_written || end == ExitCode::Findings ? end : ExitCode::BadUsage;
}

}  // namespace ropewalk::tools
