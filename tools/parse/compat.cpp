#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"

namespace ropewalk::tools {

ReadCommand declare_compat(CLI::App& command) {
  const auto options = std::make_shared<CompatOptions>();
  command
      .add_option("--provider", options->provider,
                  "flash-attn==2.6.3 (from the table that ships), or Python sources: a .py file, a folder, a .whl, "
                  ".zip or .tar.gz")
      ->type_name("WHAT");
  command
      .add_option("--caller", options->caller,
                  "transformer-engine==1.13 (from the table), Python sources, or calls as .json")
      ->type_name("WHAT");
  command.add_option("--provider-version", options->provider_version, "of sources that do not say it")->type_name("V");
  return [options]() -> Command {
    for (const auto& [flag, value] : {std::pair("--provider", options->provider), {"--caller", options->caller}}) {
      if (!value.empty()) continue;
      throw InputError(std::string("compat: ") + flag +
                       " is missing; usage: attn-fuzz compat --provider flash-attn==2.6.3 --caller "
                       "transformer-engine==1.13");
    }
    return *options;
  };
}

}  // namespace ropewalk::tools
