#include "tools/commands/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

#include "lib/base/beside_program.h"
#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/base/run_command.h"
#include "lib/base/scratch_folder.h"
#include "lib/driver/public_call.h"
#include "lib/driver/read_record.h"
#include "lib/finding/merge.h"
#include "tools/commands/run_hints.h"
#include "tools/run/coverage.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

namespace files = std::filesystem;

constexpr const char* core_library = "libropewalk.so";

// The folder with the virtual GPU's libraries: of the build tree, or of an installation.
files::path libraries_folder() {
  files::path folder = folder_beside_program({"../lib", "../lib/ropewalk"}, core_library);
  if (!folder.empty()) return folder;
  throw InputError("run: there is no " + std::string(core_library) + " in " +
                   (program_folder().parent_path() / "lib").string());
}

driver::Options session_of(const RunRequest& options, const SharedOptions& shared) {
  driver::Options session = options.session;
  session.checks = shared.checks;
  session.strict = shared.strict;
  session.jobs = shared.jobs;
  session.fp_contract = shared.fp_contract;
  session.block_order = shared.block_order;
  session.schedule = shared.schedule;
  // The program may change its folder.
  if (!session.capture.empty()) session.capture = std::filesystem::absolute(session.capture).string();
  return session;
}

// The variable's folders with this one before them.
std::string before(const std::string& folder, const char* variable) {
  const char* const others = std::getenv(variable);
  return others && *others ? folder + ":" + others : folder;
}

// Programs in Python begin with the sitecustomize.py of the package that lies beside the libraries, or (in a wheel) has
// them.
std::map<std::string, std::string> environment_of(const std::string& records, const std::string& program) {
  const files::path folder = libraries_folder();
  const std::string libraries = folder / "virtual";
  const bool has_package = files::exists(folder / "python");
  const std::string startup = has_package ? folder / "python/ropewalk/startup" : folder.parent_path() / "startup";
  std::map<std::string, std::string> out = {{driver::folder_variable, records},
                                            {"LD_LIBRARY_PATH", before(libraries, "LD_LIBRARY_PATH")},
                                            {"PYTHONPATH", before(startup, "PYTHONPATH")},
                                            {"TRITON_LIBCUDA_PATH", libraries}};
  const std::string of_static_runtime = files::path(libraries) / "libropewalk_static_runtime.so";
  if (files::exists(of_static_runtime)) {
    out.emplace("LD_AUDIT", before(of_static_runtime, "LD_AUDIT"));
    // Where something is loaded before the program, glibc leaves less for the thread-local variables of its libraries
    // than some need (allocators); ThreadSanitizer's needs much, which each thread then has.
    const char* const bytes = needs_thread_sanitizer(program) ? "2000000" : "8192";
    out.emplace("GLIBC_TUNABLES", before(fmt::format("glibc.rtld.optional_static_tls={}", bytes), "GLIBC_TUNABLES"));
  }
  return out;
}

// Whether the process has the virtual GPU's core in its memory.
bool has_virtual_gpu(int process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(core_library)) return true;
  }
  return false;
}

void add_once(std::vector<std::string>& notes, std::string note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Of "/a/b.cu:12" in a text.
void tell_paths_in(std::string& text, const SourcePaths& paths) {
  static const std::regex position("/[^ :]+(?=:[0-9])");
  std::string out;
  const char* behind = text.c_str();
  for (std::sregex_iterator it(text.begin(), text.end(), position), end; it != end; ++it) {
    out.append(behind, text.c_str() + it->position());
    const bool is_whole = it->position() == 0 || text[std::size_t(it->position()) - 1] == ' ';
    out += is_whole ? paths.of_source(it->str()) : it->str();
    behind = text.c_str() + it->position() + it->length();
  }
  text = out + behind;
}

void tell_paths(Finding& finding, const SourcePaths& paths) {
  for (std::optional<FindingLocation>* location : {&finding.location, &finding.other_location}) {
    if (!*location) continue;
    const std::string file = std::exchange((*location)->file, paths.of_source((*location)->file));
    if (finding.cause && !file.empty()) {
      const auto tell = [&](std::string& text) { replace_all(text, file + ":", (*location)->file + ":"); };
      tell(finding.cause->text);
      tell(finding.cause->advice);
      std::ranges::for_each(finding.cause->evidence, tell);
    }
    for (SourcePosition& position : (*location)->inlined) position.file = paths.of_source(position.file);
  }
  // It names others, too.
  if (finding.cause) {
    for (std::string* text : {&finding.cause->text, &finding.cause->advice}) tell_paths_in(*text, paths);
    for (std::string& text : finding.cause->evidence) tell_paths_in(text, paths);
  }
  identify(finding);
}

// NVIDIA's own runtime asks for them. PyTorch has it inside and needs it for nothing that is launched here; CuPy does
// all by it.
constexpr const char* private_tables = "cuGetExportTable";

void tell_other_runtime(const driver::ProcessRecord& record, Report& report) {
  for (const auto& [function, caller] : record.unsupported) {
    if (function != private_tables) continue;
    // The compiler and the linker do their work all the same.
    if (caller.find("libnvrtc") != std::string::npos || caller.find("libnvJitLink") != std::string::npos) continue;
    if (caller.find("/torch/lib/") != std::string::npos) {
      add_once(report.notes,
               "PyTorch's operators ran on the CPU and are not checked: kernels of Triton and the program's "
               "own would be");
      continue;
    }
    add_once(report.notes, fmt::format("NVIDIA's own runtime takes no other driver than NVIDIA's, and found no GPU: "
                                       "what has it inside does not run here{}",
                                       caller.empty() ? "" : ": " + caller));
  }
}

// The parts of the report that a process adds to.
void add(driver::ProcessRecord& record, const SourcePaths& paths, const Request& request, Report& report) {
  for (Finding& finding : record.findings) {
    tell_paths(finding, paths);
    merge_case(report.findings, std::move(finding));
  }
  const u64 checked = record.launches - std::min(record.unchecked, record.launches);
  report.summary.cases += checked;
  report.summary.passed += checked - std::min(checked, record.failed_launches + record.not_run.size());
  report.coverage.blocks += record.blocks;
  report.coverage.blocks_total += record.blocks_total;
  for (const auto& [name, reason] : record.not_run)
    report.not_run.push_back({name, reason, request.command_line, reports::NotRunFault::None});
  for (const auto& [function, caller] : record.unsupported) {
    if (function == private_tables) continue;
    const std::string answered = fmt::format("is not there and was answered with \"not supported\"{}",
                                             caller.empty() ? "" : ": called by " + caller);
    if (driver::only_asks(function))
      add_once(report.notes, function + " " + answered);
    else
      report.not_run.push_back({function, answered, request.command_line, reports::NotRunFault::None});
  }
  for (const auto& [function, error, caller] : record.failed) {
    add_once(report.notes,
             fmt::format("{} answered {}{}", function, error, caller.empty() ? "" : ": called by " + caller));
  }
  for (const std::string& text : record.notes) add_once(report.notes, text);
  if (record.unchecked) {
    add_once(report.notes, fmt::format("process {}: {} of {} launches ran unchecked", record.process, record.unchecked,
                                       record.launches));
  }
  if (record.is_cut) add_once(report.notes, fmt::format("process {}: its record ends inside a line", record.process));
}

// How the program itself ended, and what that leaves unsaid.
void tell_end(const ProgramEnd& end, const std::vector<driver::ProcessRecord>& records, bool asks_for_leaks,
              const Request& request, Report& report) {
  if (end.interrupted) {
    report.not_run.push_back({std::string(reports::whole_program),
                              fmt::format("was interrupted: rope-check was sent signal {} ({}) and passed it on",
                                          end.interrupted, strsignal(end.interrupted)),
                              request.command_line});
  } else if (end.signal) {
    report.not_run.push_back({std::string(reports::whole_program),
                              fmt::format("died of signal {} ({})", end.signal, strsignal(end.signal)),
                              request.command_line});
  } else if (end.exit_code) {
    report.notes.push_back(fmt::format("the program ended with exit code {}", end.exit_code));
    for (const driver::ProcessRecord& record : records) {
      if (record.process != end.process) continue;
      for (const auto& [function, caller] : record.unsupported) {
        if (driver::only_asks(function) && function != private_tables)
          report.not_run.push_back(
              {function,
               fmt::format("is not there, and the program that asked for it ended with exit code {}{}", end.exit_code,
                           caller.empty() ? "" : ": called by " + caller),
               request.command_line, reports::NotRunFault::None});
      }
    }
  }
  for (const int process : end.left) {
    report.notes.push_back(
        fmt::format("process {} was left behind without the virtual GPU, and goes on: it is not checked", process));
  }
  for (const driver::ProcessRecord& record : records) {
    if (record.has_ended || (end.signal && record.process == end.process)) continue;
    if (record.process != end.process && kill(record.process, 0) == 0)
      report.notes.push_back(fmt::format("process {} was still running", record.process));
    else if (asks_for_leaks)
      report.notes.push_back(fmt::format("process {} did not tell its end, nor what it leaked", record.process));
  }
}

// Why nothing was checked; empty: something was.
std::string why_nothing(const std::vector<driver::ProcessRecord>& records, const std::string& program) {
  u64 launches = 0;
  u64 operations = 0;
  for (const driver::ProcessRecord& record : records) {
    operations += record.host_operations;
    if (record.launches > record.unchecked || !record.findings.empty() || !record.not_run.empty()) return "";
    launches += record.launches;
  }
  if (launches) return fmt::format("none of its {} launches was to be checked, as the options say", launches);
  if (operations) return "";
  const std::string hint = why_no_virtual_gpu(program);
  const std::string what = records.empty() ? "the program did not use the virtual GPU" : "no kernel was launched";
  return hint.empty() ? what : what + "; " + hint;
}

// A program that launches nothing is a case itself, where its copies, fills and frees were checked.
void tell_host_alone(const std::vector<driver::ProcessRecord>& records, Report& report) {
  u64 launches = 0, operations = 0;
  for (const driver::ProcessRecord& record : records) {
    launches += record.launches + record.not_run.size();
    operations += record.host_operations;
  }
  if (launches || !operations) return;
  report.summary.cases = 1;
  report.summary.passed = reports::count_severities(report.findings).errors == 0;
  report.notes.push_back(fmt::format("no kernel was launched; {} copies, fills and frees were checked", operations));
}

Report report_of(const RunRequest& options, const Request& request, const ProgramEnd& end, const std::string& folder,
                 const Stopwatch& watch) {
  std::vector<driver::ProcessRecord> records = driver::read_records(folder);
  Report report = new_report(request, 1);
  const SourcePaths paths = source_paths_of(request.shared);
  const std::string nothing = why_nothing(records, options.command[0]);
  for (driver::ProcessRecord& record : records) {
    add(record, paths, request, report);
    if (!nothing.empty()) tell_other_runtime(record, report);
  }
  tell_host_alone(records, report);
  for (const Check check : all_checks()) {
    if (report.summary.cases && request.shared.checks.has(check) && check != Check::Outputs)
      report.coverage.checks.emplace_back(name_of(check));
  }
  if (report.coverage.blocks < report.coverage.blocks_total) {
    report.notes.push_back(fmt::format("{} of {} blocks were run; what the others would have written counts as written",
                                       report.coverage.blocks, report.coverage.blocks_total));
  }
  if (!nothing.empty() && !end.signal && !end.interrupted)
    report.not_run.push_back({std::string(reports::whole_program), nothing, request.command_line});
  tell_end(end, records, options.session.leaks, request, report);
  // The program itself counts as a case where it is what did not run.
  report.summary.cases = std::max<u64>(report.summary.cases, report.not_run.size());
  for (const std::string& note : notes_of(paths)) report.notes.push_back(note);
  return finished(std::move(report), request, watch);
}

struct Ran {
  ProgramEnd end;
  Report report;
};

Ran run_program(const RunRequest& options, const Request& request) {
  const ScratchFolder scratch("run");
  write_file(scratch.path() + "/" + driver::options_file, driver::text_of(session_of(options, request.shared)));
  constexpr double patience_s = 10;
  const Stopwatch watch;
  const ProgramEnd end =
      run_command(options.command, environment_of(scratch.path(), options.command[0]), patience_s, has_virtual_gpu);
  if (!end.not_started.empty()) throw InputError("run: " + end.not_started);
  return {end, report_of(options, request, end, scratch.path(), watch)};
}

}  // namespace

Report examine(const RunRequest& options, const Request& request) {
  Ran ran = run_program(options, request);
  if (ran.end.interrupted) {
    std::signal(ran.end.interrupted, SIG_DFL);
    raise(ran.end.interrupted);
  }
  return std::move(ran.report);
}

ExitCode run_program_on_machine(const RunRequest& options, const Request& request) {
  Ran ran = run_program(options, request);
  const ProgramEnd& end = ran.end;
  const ExitCode code = put_out(std::move(ran.report), request.shared, STDERR_FILENO);
  if (end.interrupted) return ExitCode(128 + end.interrupted);
  if (code == ExitCode::Findings) return ExitCode(options.error_exitcode.value_or(int(code)));
  if (code != ExitCode::Clean && code != ExitCode::NothingChecked) return code;
  const int own = end.signal ? 128 + end.signal : end.exit_code;
  return own ? ExitCode(own) : code;
}

}  // namespace ropewalk::tools
