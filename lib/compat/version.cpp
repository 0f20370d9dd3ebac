#include "lib/compat/version.h"

#include <algorithm>
#include <utility>

namespace ropewalk::compat {
namespace {

constexpr std::pair<std::string_view, int> phases[] = {{"dev", 0}, {"alpha", 1}, {"beta", 2}, {"post", 5},
                                                       {"rc", 3},  {"a", 1},     {"b", 2},    {"c", 3}};

// The number at the front of `text`, which is taken off; nullopt where there is none or it is absurd.
std::optional<u64> take_number(std::string_view& text) {
  u64 value = 0, digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    value = value * 10 + u64(text[digits++] - '0');
    if (digits > 12) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

}  // namespace

std::strong_ordering PackageVersion::operator<=>(const PackageVersion& other) const {
  if (const auto order = release <=> other.release; order != 0) return order;
  if (const auto order = phase <=> other.phase; order != 0) return order;
  return phase_number <=> other.phase_number;
}

std::optional<PackageVersion> parse_version(std::string_view text) {
  PackageVersion version;
  version.text = text;
  text = text.substr(0, text.find('+'));
  if (text.starts_with("v")) text.remove_prefix(1);
  while (true) {
    const std::optional<u64> number = take_number(text);
    if (!number) return std::nullopt;
    version.release.push_back(*number);
    if (text.size() < 2 || text[0] != '.' || text[1] < '0' || text[1] > '9') break;
    text.remove_prefix(1);
  }
  while (!version.release.empty() && version.release.back() == 0) version.release.pop_back();
  if (text.empty()) return version;
  if (text[0] == '.' || text[0] == '-' || text[0] == '_') text.remove_prefix(1);
  for (const auto& [name, phase] : phases) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    version.phase = phase;
    version.phase_number = take_number(text).value_or(0);
    // What may follow ("b1.dev3") orders only previews of previews.
    return version;
  }
  return std::nullopt;
}

}  // namespace ropewalk::compat
