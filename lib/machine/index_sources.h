// Which numbers in memory the address of a bad access was computed from: a slot of -1, a position past the table.
#pragma once
#include <map>
#include <vector>

#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// Of an address made of more numbers these say nothing.
constexpr std::size_t most_index_sources = 4;

// Loads of integers that the address of a memory step is computed from, by step: the elements, a bit each. Nothing,
// where it takes turns between several, where something else than constants, arguments and the thread's number has a
// part in it, or where there is none.
std::map<u32, u32> loads_of_address(const Code& code, u32 step);

// What a thread loaded last by each of these steps before it came to the access. First among the checks, because an
// access that is reported does not reach those behind.
class IndexSources : public Checker {
 public:
  // Into `found`, of the access that is the example.
  IndexSources(const std::map<u32, u32>& loads, const Occurrence& example, std::vector<LoadedIndex>& found)
      : loads_(loads), example_(example), found_(found) {}
  void on_access(const AccessEvent& event, Verdict&) override;

 private:
  const std::map<u32, u32>& loads_;
  const Occurrence& example_;
  std::vector<LoadedIndex>& found_;
  std::map<u32, std::vector<LoadedIndex>> last_;  // by step
};

}  // namespace ropewalk::machine
