#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {

ReadCommand declare_launch(CLI::App& command) {
  const auto options = std::make_shared<LaunchOptions>();
  command.add_option("FILE", options->files, "launch files, folders of them, or - for one on standard input")
      ->type_name("");
  command.add_option("--save-outputs", options->save_outputs, "write every output tensor as FOLDER/NAME.npy")
      ->type_name("FOLDER");
  return [options]() -> Command {
    if (options->files.empty())
      throw InputError("launch: a launch file is missing; usage: rope-check launch FILE.json...");
    return *options;
  };
}

ReadCommand declare_merge(CLI::App& command) {
  const auto options = std::make_shared<MergeOptions>();
  command.add_option("FILE", options->files, "JSON reports")->type_name("");
  return [options]() -> Command {
    if (options->files.empty())
      throw InputError("merge: a report is missing; usage: rope-check merge A.json B.json...");
    return *options;
  };
}

ReadCommand declare_list(CLI::App& command) {
  const auto options = std::make_shared<ListOptions>();
  command.add_flag("--faulty", options->faulty, "list the kernels with seeded bugs too");
  return [options]() -> Command { return *options; };
}

ReadCommand declare_explain(CLI::App& command) {
  const auto options = std::make_shared<ExplainOptions>();
  command
      .add_option("NAME", options->name,
                  "a rule, such as out-of-bounds-write, or a cause, such as missing-row-mask; "
                  "without one, all are listed")
      ->type_name("");
  return [options]() -> Command { return *options; };
}

ReadCommand declare_atlas(CLI::App& command) {
  const auto options = std::make_shared<AtlasOptions>();
  command.add_option("ROW", options->rows, "rows of the atlas, such as 7; without one, all")->type_name("");
  return [options]() -> Command { return *options; };
}

ReadCommand declare_bench(CLI::App& command) {
  struct Texts {
    BenchOptions options;
    std::string seconds;
  };
  const auto texts = std::make_shared<Texts>();
  command.add_option("FILTER", texts->options.filter, "only measurements whose name contains this")->type_name("");
  command.add_option("--time", texts->seconds, "time for each measurement (0.3s)")->type_name("30s|5m");
  return [texts]() -> Command {
    BenchOptions options = texts->options;
    if (!texts->seconds.empty()) options.seconds = read_seconds("--time", texts->seconds);
    return options;
  };
}

}  // namespace ropewalk::tools
