#include "reports/sarif_location.h"

#include <fmt/format.h>

#include "reports/printable.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

bool is_unreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '-' || letter == '.' || letter == '_' || letter == '~' || letter == '/';
}

bool is_drive(const std::string& path) { return path.size() > 2 && path[1] == ':' && path[2] == '/'; }

}  // namespace

std::string uri_of(const std::string& given) {
  std::string path = given;
  for (char& letter : path) letter = letter == '\\' ? '/' : letter;
  while (path.starts_with("./")) path.erase(0, 2);
  std::string uri = path.starts_with("/") ? "file://" : is_drive(path) ? "file:///" : "";
  for (const char letter : path) {
    const bool plain = is_unreserved(letter) || (letter == ':' && is_drive(path));
    uri += plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return uri;
}

OrderedJson physical_location(const std::string& file, u64 line, u64 column, const SourceExcerpts& sources) {
  OrderedJson artifact = {{"uri", uri_of(file)}};
  if (!artifact["uri"].get<std::string>().starts_with("file:")) artifact["uriBaseId"] = "%SRCROOT%";
  OrderedJson location = {{"artifactLocation", std::move(artifact)}};
  if (line == 0) return location;
  OrderedJson region = {{"startLine", line}};
  if (column) region["startColumn"] = column;
  const auto lines = sources.find(file);
  if (lines != sources.end() && lines->second.contains(line)) {
    region["snippet"] = {{"text", printable(lines->second.at(line))}};
  }
  location["region"] = std::move(region);
  return location;
}

OrderedJson physical_location(const FindingLocation& location, const SourceExcerpts& sources) {
  if (!location.file.empty()) return physical_location(location.file, location.line, location.column, sources);
  if (!location.ptx_file.empty()) return physical_location(location.ptx_file, location.ptx_line, 0, sources);
  return nullptr;
}

}  // namespace ropewalk::reports
