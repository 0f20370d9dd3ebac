#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {

ReadCommand declare_case(CLI::App& command) {
  struct Texts {
    KernelOptions options;
    std::string blocks;
  };
  const auto texts = std::make_shared<Texts>();
  texts->options.name.clear();
  command
      .add_option("PROBLEM", texts->options.problem, "the problem as text, such as 'attention(Tq=16,Tk=40,H=2,D=64)'")
      ->type_name("");
  command
      .add_option("--kernel", texts->options.name,
                  "the kernel (the first of the problem's kind); attn-fuzz list names them")
      ->type_name("NAME");
  command.add_option("--blocks", texts->blocks, "run N blocks only: the first, the last and a seeded choice")
      ->type_name("N");
  return [texts]() -> Command {
    KernelOptions options = texts->options;
    if (options.problem.empty()) {
      throw InputError("case: a problem is missing; usage: attn-fuzz case 'attention(Tq=16,Tk=40,H=2,D=64)'");
    }
    if (!texts->blocks.empty()) options.blocks = read_count("--blocks", texts->blocks, 1);
    return options;
  };
}

}  // namespace ropewalk::tools
