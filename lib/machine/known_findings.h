// Findings that earlier launches of a kernel made, and that whoever launches has reported. A launch that makes them
// again is not looked at more closely for their sake: the fast tier lets them pass and says which it met, and the
// judgement of a race stands. Where anything else is found, all is looked at. Of what a block stores behind one that it
// met nobody knows any more whether it comes from there, as with those that are settled within a launch (settled.h).
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/machine/memory.h"
#include "lib/machine/program.h"
#include "lib/machine/settled.h"

namespace ropewalk::machine {

class KnownFindings {
 public:
  using Ids = std::set<std::string>;  // of findings

  // Takes up those that a later launch may let pass or need not judge again.
  void add(const Collector& found, const Launch& launch, const Code& code, const std::vector<Window>& windows);
  // Whether the fast tier can let pass some that were reported.
  bool may_pass(const Ids& reported) const;
  // What it lets pass of them in a launch with these windows. What was met before is forgotten.
  Settled settled(const Ids& reported, const Launch& launch, const Code& code, const std::vector<Window>& windows);
  // Those that the launch since then met.
  Ids met() const;
  // Whether a finding is one that was reported.
  bool has(const Occurrence& found, const Ids& reported, const Launch& launch,
           const std::vector<Window>& windows) const;
  // Letting them pass shows what a closer look does not: it is no use.
  void give_up() { is_useless_ = true; }

 private:
  struct Known {
    Occurrence example;
    std::string memory;  // as all launches know it
    std::string id;
    bool may_pass = false;
  };
  const Known* known(const Occurrence& found, const Launch& launch, const std::vector<Window>& windows) const;

  std::vector<Known> known_;
  std::vector<u8> met_;  // by known finding
  bool is_useless_ = false;
};

}  // namespace ropewalk::machine
