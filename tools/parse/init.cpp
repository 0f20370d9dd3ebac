#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {

ReadCommand declare_init(CLI::App& command) {
  struct Texts {
    std::string file, ranks;
  };
  const auto texts = std::make_shared<Texts>();
  command.add_option("PLAN", texts->file, "a plan, \"ropewalk.plan/1\"")->type_name("");
  command.add_option("--ranks", texts->ranks, "ranks that run it (as the plan says)")->type_name("N");
  return [texts]() -> Command {
    if (texts->file.empty()) throw InputError("init: a plan is missing; usage: rope-check init PLAN.json [--ranks N]");
    InitOptions options{texts->file, std::nullopt};
    if (!texts->ranks.empty()) {
      const u64 ranks = read_count("--ranks", texts->ranks, 1);
      if (ranks > 64) throw InputError("--ranks: at most 64 are possible, found " + texts->ranks);
      options.ranks = u32(ranks);
    }
    return options;
  };
}

}  // namespace ropewalk::tools
