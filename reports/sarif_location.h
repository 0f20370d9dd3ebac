// Locations as SARIF writes them.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reports/report.h"

namespace ropewalk::reports {

// A path as a URI reference (RFC 3986): backslashes become slashes, other bytes than unreserved ones are escaped, "./"
// in front is dropped; an absolute path becomes file:///...
std::string uri_of(const std::string& path);

// A "physicalLocation" of file, line and column (0: not known); with the text of the line where the report holds it.
nlohmann::ordered_json physical_location(const std::string& file, u64 line, u64 column, const SourceExcerpts& sources);

// The source position of a location; where there is none its PTX line; null where there is neither.
nlohmann::ordered_json physical_location(const FindingLocation& location, const SourceExcerpts& sources);

}  // namespace ropewalk::reports
