#include "tools/run/report_out.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "reports/file.h"
#include "reports/format.h"
#include "reports/text.h"

namespace ropewalk {
namespace {

const Format& format_for(const std::string& path, const SharedOptions& options) {
  return options.format.empty() ? format_of_path(path) : format_named(options.format);
}

}  // namespace

void require_report_files(const SharedOptions& options) {
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
  for (const std::string& path : options.reports) {
    write_file_atomically(path, format_for(path, options).write(report));
  }
}

void put_out(const Report& report, const SharedOptions& options) {
  write_report_files(report, options);
  TextOptions text;
  text.color = wants_color(options.color);
  text.quiet = options.quiet;
  text.source_lines = source_lines_from({ROPEWALK_SOURCE_DIR});
  print(text_of(report, text));
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
