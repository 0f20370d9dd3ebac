// What a campaign has covered: of one kernel the tuples of parameter values and the sides of branches. Shards of one
// campaign are joined by joining these.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::campaign {

// Tuples of the values of `strength` parameters, numbered as lib/generate numbers them.
struct TupleCoverage {
  u32 strength = 2;
  u64 possible = 0;
  std::vector<bool> seen;  // [possible]

  u64 covered() const;
};

// A conditional branch of a kernel's entry, by its line in the PTX.
struct BranchSides {
  std::string entry;
  u32 ptx_line = 0;
  bool taken = false, not_taken = false;
};

// Of one kernel of the campaign.
struct KernelCoverage {
  std::string kernel;  // the kernel's name
  u64 cases = 0;       // that were run
  std::vector<TupleCoverage> tuples;
  std::vector<BranchSides> branches;  // by entry and line; those that were reached

  u64 sides() const;  // of all branches that were seen
};

// A campaign is split into so many shards at most.
inline constexpr u64 most_shards = 1000000;

// What a campaign was asked for and how far it came; the part of a report that a single case does not have.
struct Record {
  std::vector<std::string> kernels;  // in the order in which they take turns
  std::string budget;                // as it was given
  u64 shard_index = 0, shard_count = 1;
  bool stopped = false;  // by a signal, before the budget was spent
  std::string
      options;  // that decide, with the seed and the executor, what a case shows: "--checks bounds --fp-contract"
  std::vector<KernelCoverage> coverage;
};

// Adds what the other has covered of the same kernel. Throws InputError where the two number their tuples differently.
void join(KernelCoverage& coverage, const KernelCoverage& other);

// A set of bits as hexadecimal digits, the first bit the lowest of the first digit; and back. from_hex throws
// InputError where the text does not have exactly the digits of `count` bits.
std::string hex_of(const std::vector<bool>& bits);
std::vector<bool> from_hex(const std::string& text, u64 count);

}  // namespace ropewalk::campaign
