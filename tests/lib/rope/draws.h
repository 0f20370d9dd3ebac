// Random dumps, healthy and broken, with the cause that is the right answer.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/rope/check_caches.h"
#include "lib/rope/made/dump_writer.h"
#include "lib/rope/ranks.h"

namespace ropewalk::rope::testing {

struct Draw {
  std::string kind;   // "scaling-missing: llama3"
  std::string cause;  // the right answer; empty: healthy
  std::string text;   // all of it, for messages
  RopeConfig config;
  std::vector<Dump> dumps;  // one a rank
};

// Configurations of model families, as their programs write them: tests/data/rope/families.json.
struct Family {
  std::string name;
  RopeConfig config;
};
std::vector<Family> read_families(const std::string& path);

// Formula number n of those that are drawn from, with random parameters.
RopeFormula random_formula(Random& random);
// A healthy dump of one to four ranks in any layout.
// `families`: to draw the formula from, in place of random ones; empty: random ones.
Draw healthy_draw(u64 seed, const std::vector<Family>& families = {});
// A dump that a real mechanism has broken, so that it shows: a good part of its values is far outside of their bounds.
Draw broken_draw(u64 seed, const std::vector<Family>& families = {});

// What check_dumps makes of a draw: "healthy", a cause, "no cause", or several joined by " + ".
std::string answer_to(const Draw& draw);

}  // namespace ropewalk::rope::testing
