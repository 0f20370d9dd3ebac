#include "lib/compat/specifiers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace ropewalk::compat {
namespace {

struct Specifier {
  std::string word;  // ">="
  PackageVersion version;
  bool any_rest = false;  // "2.6.*"
};

std::string_view stripped(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

std::optional<Specifier> read(std::string_view text) {
  static constexpr std::array words = {"~=", "==", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view word : words) {
    if (!text.starts_with(word)) continue;
    Specifier one{std::string(word), {}, false};
    text = stripped(text.substr(word.size()));
    one.any_rest = text.ends_with(".*");
    if (one.any_rest && word != "==" && word != "!=") return std::nullopt;
    const auto version = parse_version(one.any_rest ? text.substr(0, text.size() - 2) : text);
    if (!version) return std::nullopt;
    one.version = *version;
    return one;
  }
  return std::nullopt;
}

// Numbers of the release as it was written, with zeros at its end.
size_t written_parts(const PackageVersion& version) {
  const std::string_view text = version.text;
  size_t parts = 1, at = text.starts_with("v") ? 1 : 0;
  for (; at < text.size(); ++at) {
    const bool is_next = text[at] == '.' && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9';
    if (!is_next && !(text[at] >= '0' && text[at] <= '9')) break;
    parts += is_next;
  }
  return parts;
}

bool has_same_start(const PackageVersion& a, const PackageVersion& b, size_t parts) {
  const auto part = [](const PackageVersion& one, size_t n) { return n < one.release.size() ? one.release[n] : 0; };
  for (size_t n = 0; n < parts; ++n) {
    if (part(a, n) != part(b, n)) return false;
  }
  return true;
}

bool is_preview(const PackageVersion& version) { return version.phase < 4; }
bool is_post(const PackageVersion& version) { return version.phase > 4; }

std::optional<bool> has(const Specifier& one, const PackageVersion& version) {
  const PackageVersion& named = one.version;
  if (one.any_rest) return has_same_start(version, named, written_parts(named)) == (one.word == "==");
  if (one.word == "==") return version == named;
  if (one.word == "!=") return version != named;
  if (one.word == "<=") return version <= named;
  if (one.word == ">=") return version >= named;
  // Neither a preview nor what comes after a release is on the other side of it.
  const bool same_release = version.release == named.release;
  if (one.word == "<") return version < named && !(same_release && is_preview(version) && !is_preview(named));
  if (one.word == ">") return version > named && !(same_release && is_post(version) && !is_post(named));
  const size_t parts = written_parts(named);
  if (parts < 2) return std::nullopt;
  return version >= named && has_same_start(version, named, parts - 1);
}

}  // namespace

std::optional<bool> admits(const std::string& specifiers, const PackageVersion& version) {
  bool all = true, names_preview = false;
  std::string_view rest = specifiers;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view text = stripped(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (text.empty()) continue;
    const auto one = read(text);
    const auto inside = one ? has(*one, version) : std::nullopt;
    if (!inside) return std::nullopt;
    all = all && *inside;
    names_preview = names_preview || (is_preview(one->version) && one->word != "!=");
  }
  // What an order rules out is out in every release of packaging.
  if (is_preview(version) && !names_preview && all) return std::nullopt;
  return all;
}

}  // namespace ropewalk::compat
