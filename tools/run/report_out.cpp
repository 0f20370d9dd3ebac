#include "tools/run/report_out.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/error.h"
#include "reports/file.h"
#include "reports/format.h"
#include "reports/paint.h"
#include "reports/source.h"
#include "reports/text.h"
#include "tools/run/sources.h"
#include "tools/run/waiver.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

const reports::Format& format_for(const std::string& path, const SharedOptions& options) {
  return options.format.empty() ? reports::format_of_path(path) : reports::format_named(options.format);
}

Report with_sources(Report report, const SharedOptions& options) {
  if (report.sources.empty()) report.sources = reports::excerpts_for(report.findings, source_lines_of(options));
  return report;
}

// What failed besides the checks, each a line, and how that lets the program end.
struct Failures {
  std::vector<std::string> lines;
  bool internal = false;

  void add(const std::string& line) { lines.push_back(line); }
  template <class Body>
  void catching(const Body& body) {
    try {
      body();
    } catch (const InputError& error) {
      add(error.what());
    }
  }
};

Failures failures_of(const std::vector<reports::NotRunCase>& cases) {
  Failures failures;
  for (const reports::NotRunCase& left : cases) {
    if (left.fault == reports::NotRunFault::None) continue;
    const bool named = left.reason.find(left.case_text) != std::string::npos;
    failures.add(named ? left.reason : left.case_text + ": " + left.reason);
    failures.internal |= left.fault == reports::NotRunFault::Ropewalk;
  }
  return failures;
}

ExitCode end_of(const Report& report, const Failures& failures) {
  const ExitCode by_verdict = exit_code_of(report.summary.verdict);
  if (by_verdict == ExitCode::Findings || failures.lines.empty()) return by_verdict;
  return failures.internal ? ExitCode::Internal : ExitCode::BadUsage;
}

void print_line(const SharedOptions& options, const char* kind, const std::string& line) {
  std::fprintf(stderr, "%s: %s: %s\n", options.program->name.c_str(), kind, reports::printable(line).c_str());
}

}  // namespace

void require_report_files(const SharedOptions& options, const std::vector<std::string>& inputs) {
  for (const std::string& path : options.reports) {
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (std::filesystem::equivalent(path, input, ignored)) {
        throw InputError("--report: " + path + " is an input of this command, which the report would overwrite");
      }
    }
  }
  Report none;
  waive_findings(none, options);
  for (const std::string& path : options.reports) format_for(path, options);
  for (const std::string& path : options.reports) {
    try {
      reports::require_writable(path);
    } catch (const InputError& error) {
      print_line(options, "warning", error.what());
    }
  }
}

bool wants_color(ColorChoice choice, int to) {
  // NO_COLOR (no-color.org) and TERM=dumb turn colours off where nobody asked for them.
  if (choice != ColorChoice::Auto) return choice == ColorChoice::Always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no_color && *no_color) return false;
  return isatty(to) && terminal && std::strcmp(terminal, "dumb") != 0;
}

ExitCode put_out(const Report& report, const SharedOptions& options, const std::string& text, int to) {
  Failures failures = failures_of(report.not_run);
  failures.catching([&] { print(text, to); });
  if (!options.reports.empty()) {
    const Report whole = with_sources(report, options);
    for (const std::string& path : options.reports) {
      failures.catching([&] { reports::write_file_atomically(path, format_for(path, options).write(whole)); });
    }
  }
  for (const std::string& line : failures.lines) print_line(options, "error", line);
  return end_of(report, failures);
}

ExitCode put_out(Report report, const SharedOptions& options, int to) {
  waive_findings(report, options);
  report = with_sources(std::move(report), options);
  const bool as_format = !options.format.empty() && options.reports.empty();
  return put_out(
      report, options,
      as_format ? reports::format_named(options.format).write(report)
                : reports::text_of(report, {wants_color(options.color, to), options.quiet, {}, options.max_findings}),
      to);
}

void print(const std::string& text, int to) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(to, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += size_t(count);
    } else if (errno == EPIPE) {
      return;
    } else if (errno != EINTR) {
      throw InputError(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
  }
}

}  // namespace ropewalk::tools
