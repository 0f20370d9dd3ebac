#include "reports/suppress.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/nearest.h"
#include "reports/glob.h"
#include "reports/readable.h"

namespace ropewalk::reports {
namespace {

// "2027-01-31".
std::optional<Date> date_of(const std::string& text) {
  const auto number = [&](size_t first, size_t count) {
    unsigned value = 0;
    const char* const begin = text.data() + first;
    const auto [end, error] = std::from_chars(begin, begin + count, value);
    return error == std::errc() && end == begin + count ? std::optional(value) : std::nullopt;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (!year || !month || !day) return std::nullopt;
  const Date date{std::chrono::year(int(*year)), std::chrono::month(*month), std::chrono::day(*day)};
  return date.ok() ? std::optional(date) : std::nullopt;
}

std::string text_of(Date date) {
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
}

void require_rule(const JsonCursor& cursor, const std::string& pattern) {
  std::vector<std::string> names;
  for (const Rule rule : all_rules()) {
    if (glob_matches(pattern, name_of(rule))) return;
    names.emplace_back(name_of(rule));
  }
  cursor.fail("no rule fits \"" + pattern + "\"; " + did_you_mean(pattern, names));
}

Suppression read_suppression(const JsonCursor& item) {
  item.expect_keys({"rule", "id", "kernel", "location", "tensor", "reason", "until"});
  const auto text = [&](const char* key) {
    if (!item.has(key)) return std::string();
    std::string value = item.at(key).text();
    if (value.empty()) item.at(key).fail("expected a text that is not empty");
    return value;
  };
  Suppression one{text("rule"), text("id"), text("kernel"), text("location"), text("tensor"), text("reason"), {}};
  if (one.reason.empty()) item.fail("the key \"reason\" is missing: say why the finding is suppressed");
  if ((one.rule + one.id + one.kernel + one.location + one.tensor).empty())
    item.fail("expected at least one of \"rule\", \"id\", \"kernel\", \"location\" and \"tensor\"");
  if (!one.rule.empty()) require_rule(item.at("rule"), one.rule);
  if (item.has("until")) {
    one.until = date_of(item.at("until").text());
    if (!one.until)
      item.at("until").fail("expected a day such as \"2027-01-31\", found \"" + item.at("until").text() + "\"");
  }
  return one;
}

bool fits(const std::string& pattern, const std::string& text) {
  return pattern.empty() || glob_matches(pattern, text);
}

bool fits_id(const std::string& pattern, const Finding& finding) {
  return fits(pattern, finding.id) || fits(pattern, defect_id(finding));
}

// A file outside of the root has an absolute path, which is another one on every machine: a pattern that does not begin
// with a slash may fit what follows any of its folders.
bool fits_path(const std::string& pattern, const std::string& path) {
  if (fits(pattern, path)) return true;
  if (!path.starts_with('/') || pattern.starts_with('/')) return false;
  for (size_t at = 0; at != std::string::npos; at = path.find('/', at + 1)) {
    if (fits(pattern, path.substr(at + 1))) return true;
  }
  return false;
}

bool fits(const Suppression& one, const Finding& finding) {
  if (!fits(one.rule, std::string(name_of(finding.rule))) || !fits_id(one.id, finding)) return false;
  if (!fits(one.kernel, finding.kernel_name) && !fits(one.kernel, finding.kernel_entry) &&
      !fits(one.kernel, readable(finding.kernel_entry)))
    return false;
  if (!fits(one.tensor, finding.access ? finding.access->tensor : "")) return false;
  if (one.location.empty()) return true;
  if (!finding.location) return false;
  const FindingLocation& location = *finding.location;
  const std::string file = location.file.empty() ? location.ptx_file : location.file;
  return fits_path(one.location, file) ||
         fits_path(one.location, fmt::format("{}:{}", file, location.file.empty() ? location.ptx_line : location.line));
}

// "suppressions[2] (rule shared-race, kernel old/*)".
std::string title_of(const Suppression& one, size_t number) {
  std::string patterns;
  const auto add = [&](const char* key, const std::string& pattern) {
    if (!pattern.empty()) patterns += fmt::format("{}{} {}", patterns.empty() ? "" : ", ", key, pattern);
  };
  add("rule", one.rule);
  add("id", one.id);
  add("kernel", one.kernel);
  add("location", one.location);
  add("tensor", one.tensor);
  return fmt::format("suppressions[{}] ({})", number, patterns);
}

}  // namespace

std::vector<Suppression> read_suppressions(std::string_view text, const std::string& path) {
  const JsonCursor root(parse_json(text, path), path);
  root.expect_keys({"schema", "suppressions"});
  root.expect_schema("ropewalk.suppressions/1");
  std::vector<Suppression> suppressions;
  for (const JsonCursor& item : root.at("suppressions").elements()) suppressions.push_back(read_suppression(item));
  return suppressions;
}

void suppress(Report& report, const std::vector<Suppression>& suppressions, const std::string& path, Date today) {
  for (size_t n = 0; n < suppressions.size(); ++n) {
    const Suppression& one = suppressions[n];
    const bool is_expired = one.until && std::chrono::sys_days(today) > std::chrono::sys_days(*one.until);
    bool is_used = false;
    for (Finding& finding : report.findings) {
      if (!fits(one, finding)) continue;
      is_used = true;
      if (!is_expired && !finding.waiver) finding.waiver = Waiver{Waiver::By::Suppression, one.reason};
    }
    if (is_expired) {
      report.notes.push_back(fmt::format("{}: {} has expired on {} and counts no more; its reason was: {}", path,
                                         title_of(one, n), text_of(*one.until), one.reason));
    } else if (!is_used) {
      report.notes.push_back(fmt::format("{}: {} fits no finding of this run", path, title_of(one, n)));
    }
  }
}

Date today_in_utc() { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); }

}  // namespace ropewalk::reports
