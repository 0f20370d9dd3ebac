#include "lib/ptx/header.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/base/types.h"

namespace ropewalk::ptx {

namespace {

// The last minor version of each major one. Of the newest more may have come, and one major version after it.
constexpr std::array<u32, 10> last_minor = {0, 5, 3, 2, 3, 0, 5, 8, 8, 4};
constexpr std::array capabilities = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                     70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
// Architectures have been numbered by tens; those of the next generations have fewer than this.
constexpr int newest = capabilities.back(), beyond = 200;

}  // namespace

Standing standing_of_version(std::string_view version) {
  u32 major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return Standing::None;
  const auto [rest, wrong] = std::from_chars(dot + 1, end, minor);
  if (wrong != std::errc() || rest != end || major == 0) return Standing::None;
  if (major < last_minor.size() && minor <= last_minor[major]) return Standing::Known;
  return major + 1 == last_minor.size() || major == last_minor.size() ? Standing::Newer : Standing::None;
}

Standing standing_of_target(std::string_view target) {
  if (!target.starts_with("sm_")) return Standing::None;
  int number = 0;
  const char* const end = target.data() + target.size();
  const auto [rest, error] = std::from_chars(target.data() + 3, end, number);
  if (error != std::errc()) return Standing::None;
  // sm_90a, sm_100f: features of one architecture, or of its family.
  const std::string_view suffix(rest, u64(end - rest));
  if (!(suffix.empty() || (number >= 90 && suffix == "a") || (number >= 100 && suffix == "f"))) return Standing::None;
  if (std::ranges::find(capabilities, number) != capabilities.end()) return Standing::Known;
  return number > newest && number < beyond ? Standing::Newer : Standing::None;
}

u32 capability_of(std::string_view target) {
  u32 number = 80;
  const std::size_t at = target.find("sm_");
  if (at != std::string_view::npos) std::from_chars(target.data() + at + 3, target.data() + target.size(), number);
  return number;
}

std::string newer_text(std::string_view version, std::string_view target) {
  const bool is_new = standing_of_version(version) == Standing::Newer;
  const std::string_view architecture = target.substr(0, target.find(','));
  if (is_new) return "PTX " + std::string(version) + " is newer than what is known here (9.4): it is read as 9.4";
  if (standing_of_target(architecture) != Standing::Newer) return "";
  return std::string(architecture) +
         " is newer than what is known here (sm_121): its limits are taken to be those of sm_90";
}

}  // namespace ropewalk::ptx
