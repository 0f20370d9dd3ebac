#include "lib/campaign/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lib/base/error.h"

namespace ropewalk::campaign {

u64 TupleCoverage::covered() const { return u64(std::count(seen.begin(), seen.end(), true)); }

u64 KernelCoverage::sides() const {
  u64 count = 0;
  for (const BranchSides& branch : branches) count += u64(branch.taken) + u64(branch.not_taken);
  return count;
}

void join(KernelCoverage& coverage, const KernelCoverage& other) {
  const auto fits = [&](u64 n) {
    const TupleCoverage &mine = coverage.tuples[n], &theirs = other.tuples[n];
    return mine.strength == theirs.strength && mine.possible == theirs.possible &&
           mine.seen.size() == theirs.seen.size();
  };
  for (u64 n = 0; n < std::max(coverage.tuples.size(), other.tuples.size()); ++n) {
    if (n < coverage.tuples.size() && n < other.tuples.size() && fits(n)) continue;
    throw InputError(fmt::format("{}: the two count other tuples of parameter values, so they are not of one campaign",
                                 coverage.kernel));
  }
  coverage.cases += other.cases;
  for (u64 n = 0; n < coverage.tuples.size(); ++n) {
    std::vector<bool>& seen = coverage.tuples[n].seen;
    for (u64 bit = 0; bit < seen.size(); ++bit) seen[bit] = seen[bit] || other.tuples[n].seen[bit];
  }
  for (const BranchSides& branch : other.branches) {
    const auto key = [](const BranchSides& one) { return std::tie(one.entry, one.ptx_line); };
    const auto at = std::lower_bound(coverage.branches.begin(), coverage.branches.end(), branch,
                                     [&](const BranchSides& a, const BranchSides& b) { return key(a) < key(b); });
    if (at == coverage.branches.end() || key(*at) != key(branch)) {
      coverage.branches.insert(at, branch);
    } else {
      at->taken = at->taken || branch.taken;
      at->not_taken = at->not_taken || branch.not_taken;
    }
  }
}

std::string hex_of(const std::vector<bool>& bits) {
  std::string text;
  for (u64 first = 0; first < bits.size(); first += 4) {
    u32 digit = 0;
    for (u64 bit = 0; bit < 4 && first + bit < bits.size(); ++bit) digit |= u32(bits[first + bit]) << bit;
    text += "0123456789abcdef"[digit];
  }
  return text;
}

std::vector<bool> from_hex(const std::string& text, u64 count) {
  const auto digit_of = [](char letter) {
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  };
  if (text.size() != (count + 3) / 4 ||
      !std::all_of(text.begin(), text.end(), [&](char c) { return digit_of(c) >= 0; })) {
    throw InputError(fmt::format("expected {} hexadecimal digits for {} bits, found {} letters", (count + 3) / 4, count,
                                 text.size()));
  }
  std::vector<bool> bits(count);
  for (u64 bit = 0; bit < count; ++bit) bits[bit] = digit_of(text[bit / 4]) >> (bit % 4) & 1;
  return bits;
}

}  // namespace ropewalk::campaign
