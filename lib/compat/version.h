// Versions of Python packages, in the order of PEP 440.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::compat {

struct PackageVersion {
  std::vector<u64> release;  // 2.6.3 without zeros at its end
  int phase = 4;             // 0 dev, 1 a, 2 b, 3 rc, 4 the release, 5 post
  u64 phase_number = 0;
  std::string text;  // as it was written

  std::strong_ordering operator<=>(const PackageVersion& other) const;
  bool operator==(const PackageVersion& other) const { return (*this <=> other) == 0; }
};

// "2.7.4.post1", "4.0.0b11", "v2.6"; a local part ("+cu12") is left out. nullopt: no version.
std::optional<PackageVersion> parse_version(std::string_view text);

}  // namespace ropewalk::compat
