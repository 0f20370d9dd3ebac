#include "reports/format.h"

#include <filesystem>

#include "lib/base/error.h"
#include "reports/json.h"
#include "reports/text.h"

namespace ropewalk::reports {

// A format is a file of this folder with its writer, which is declared here, and a row of the table below.
std::string github_of(const Report& report);
std::string gitlab_of(const Report& report);
std::string html_of(const Report& report);
std::string junit_of(const Report& report);
std::string markdown_of(const Report& report);
std::string sarif_of(const Report& report);

namespace {

std::string plain_text(const Report& report) {
  TextOptions options;
  options.max_findings = report.findings.size();
  return text_of(report, options);
}

}  // namespace

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats = {
      {"json", ".json", json_of},       {"sarif", ".sarif", sarif_of},    {"xml", ".xml", junit_of},
      {"html", ".html", html_of},       {"md", ".md", markdown_of},       {"txt", ".txt", plain_text},
      {"github", ".github", github_of}, {"gitlab", ".gitlab", gitlab_of},
  };
  return formats;
}

namespace {

std::string listing(std::string_view Format::*part) {
  std::string out;
  for (const Format& format : all_formats()) out += (out.empty() ? "" : ", ") + std::string(format.*part);
  return out;
}

}  // namespace

const Format& format_named(std::string_view name) {
  for (const Format& format : all_formats()) {
    if (format.name == name) return format;
  }
  throw InputError("no report format is named \"" + std::string(name) + "\"; there are: " + listing(&Format::name));
}

const Format& format_of_path(const std::string& path) {
  for (const Format& format : all_formats()) {
    if (path.ends_with(format.suffix)) return format;
  }
  // A device or a pipe, such as /dev/stdout, has its name from somebody else.
  std::error_code error;
  const bool is_named = std::filesystem::path(path).has_extension();
  if (!is_named && (path.starts_with("/dev/") || std::filesystem::is_other(path, error))) return all_formats().front();
  throw InputError(InputLocation{path}, "the suffix names no report format; expected one of " +
                                            listing(&Format::suffix) + " (or say --format)");
}

}  // namespace ropewalk::reports
