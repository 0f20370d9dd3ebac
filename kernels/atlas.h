// The atlas: the known bugs of the field, each rebuilt as a seeded bug that has a correct counterpart, with the finding
// that must come of it.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/rule.h"

namespace ropewalk::kernels {

// What must be found; the source is the family's.
struct ExpectedFinding {
  Rule rule = Rule::OutOfBoundsRead;
  std::string tensor;  // empty: the finding is of none; a variable in shared memory has its mangled name
  u64 line = 0;        // of the family's source; 0: the finding has no line
  std::string cause;   // id
};

// One seeded bug for one known bug. A bug that came in several forms has several.
struct AtlasEntry {
  int row = 0;                       // the bug's number in the field's list; entries are in its order
  std::string title;                 // the bug in a few words
  std::vector<std::string> related;  // threads "fla-org/flash-linear-attention#180", or sources "OWNER/NAME:PATH"
  std::string kernel;                // the seeded bug: "faulty/rotary-apply-unguarded"
  std::string problem;               // a small problem that shows it
  std::string trigger;               // which problems show it, for those who make others
  ExpectedFinding found;
};

const std::vector<AtlasEntry>& all_atlas_entries();

}  // namespace ropewalk::kernels
