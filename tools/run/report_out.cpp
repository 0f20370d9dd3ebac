#include "tools/run/report_out.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "reports/file.h"
#include "reports/format.h"
#include "reports/source.h"
#include "reports/text.h"
#include "tools/run/excuse.h"

namespace ropewalk {
namespace {

const Format& format_for(const std::string& path, const SharedOptions& options) {
  return options.format.empty() ? format_of_path(path) : format_named(options.format);
}

Report with_sources(Report report) {
  if (report.sources.empty()) report.sources = excerpts_for(report.findings, source_lines_from({ROPEWALK_SOURCE_DIR}));
  return report;
}

void write_files(const Report& report, const SharedOptions& options) {
  for (const std::string& path : options.reports) {
    write_file_atomically(path, format_for(path, options).write(report));
  }
}

}  // namespace

void require_report_files(const SharedOptions& options) {
  Report none;
  excuse_findings(none, options);
  for (const std::string& path : options.reports) {
    format_for(path, options);
    require_writable(path);
  }
}

bool wants_color(ColorChoice choice) {
  // NO_COLOR (no-color.org) and TERM=dumb turn colours off where nobody asked for them.
  if (choice != ColorChoice::Auto) return choice == ColorChoice::Always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no_color && *no_color) return false;
  return isatty(STDOUT_FILENO) && terminal && std::strcmp(terminal, "dumb") != 0;
}

void write_report_files(const Report& report, const SharedOptions& options) {
  write_files(with_sources(report), options);
}

Verdict put_out(Report report, const SharedOptions& options) {
  excuse_findings(report, options);
  report = with_sources(std::move(report));
  write_files(report, options);
  if (!options.format.empty() && options.reports.empty()) {
    print(format_named(options.format).write(report));
  } else {
    print(text_of(report, {wants_color(options.color), options.quiet, {}}));
  }
  return report.summary.verdict;
}

void print(const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += size_t(count);
    } else if (errno == EPIPE) {
      return;
    } else if (errno != EINTR) {
      throw InputError(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
  }
}

}  // namespace ropewalk
