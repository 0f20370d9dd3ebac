// The report formats, by name and by file suffix.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

struct Format {
  std::string_view name;    // "json": what --format takes
  std::string_view suffix;  // ".json"
  std::string (*write)(const Report& report);
};

const std::vector<Format>& all_formats();
// Throws InputError that lists the formats.
const Format& format_named(std::string_view name);
// The format of a report file by its suffix; of a device or a pipe without one JSON. Throws InputError that lists the
// suffixes.
const Format& format_of_path(const std::string& path);

}  // namespace ropewalk::reports
