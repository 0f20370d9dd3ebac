// A kernel entry as the machine keeps it from launch to launch.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/known_findings.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

struct Decoded {
  std::shared_ptr<const ptx::Module> module;  // keeps the key alive
  std::shared_ptr<const Code> code;
  std::vector<u32> may_be_undefined;
  bool reads_by_chunk = true;  // of shared memory, until a launch needs to know more
  bool orders_shared = false;  // some launch showed that barriers do not tell the order of its shared memory
  std::set<i32> logged;        // tensors whose accesses are logged from the start, because some launch stored twice
  KnownFindings known;         // of earlier launches
  std::map<std::vector<u32>, std::shared_ptr<const Program>> programs;

  // The program of a tier for the blocks of a launch, with so many warps a context.
  std::shared_ptr<const Program> program(Tier tier, const Launch& launch, u32 warps, Observed observed);
  // One of the fast tier that lets pass what is settled. The last one is kept.
  std::shared_ptr<const Program> program(const Settled& settled, const Launch& launch, u32 warps, Observed observed);

  struct LastSettled {
    Settled settled;
    std::vector<u32> key;
    std::shared_ptr<const Program> program;
  };
  LastSettled last_settled;
};

}  // namespace ropewalk::machine
