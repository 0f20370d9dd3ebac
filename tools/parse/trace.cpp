#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {

namespace {

constexpr u64 most_kept = 100000, most_mebibytes = 1u << 20;

// A count within limits.
u64 read_limited(const std::string& flag, const std::string& text, u64 most) {
  const u64 count = read_count(flag, text, 1);
  if (count > most) throw InputError(flag + ": " + text + " is too many; the most is " + std::to_string(most));
  return count;
}

}  // namespace

ReadCommand declare_trace(CLI::App& command) {
  struct Texts {
    TraceRequest options;
    std::string keep, at, limit;
  };
  const auto texts = std::make_shared<Texts>();
  TraceRequest& options = texts->options;
  command.add_option("COMMAND", options.command, "after --: the program with its arguments")->type_name("");
  command.add_option("--report", options.reports, "write what was found as JSON (repeatable)")
      ->type_name("FILE.json")
      ->allow_extra_args(false);
  command.add_option("--keep", texts->keep, "launches that are kept with their arguments, made a power of two (32)")
      ->type_name("N");
  command.add_flag("--serialize", options.serialize,
                   "wait for the device after every launch: slow, and the launch that failed is known exactly");
  command
      .add_option(
          "--capture", options.capture,
          "write the launch that failed as FOLDER/launch.json, with its PTX and what its memory held before it; "
          "implies --serialize, unless --at names the launch")
      ->type_name("FOLDER");
  command
      .add_option(
          "--at", texts->at,
          "with --capture: the number of the launch, as an earlier report gives it; no other is slowed down, and "
          "it is written even where it does not fail")
      ->type_name("N");
  command.add_option("--capture-limit", texts->limit, "MiB of memory that are copied before a launch (1024)")
      ->type_name("N");
  command.add_option("--ptx", options.ptx, "look here for the PTX of kernels whose module has none (repeatable)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  return [texts]() -> Command {
    TraceRequest read = texts->options;
    if (read.command.empty()) {
      throw InputError("trace: a program is missing; usage: rope-check trace [OPTIONS] -- COMMAND ARGUMENTS...");
    }
    for (const std::string& report : read.reports) {
      if (!report.ends_with(".json")) throw InputError("--report: a trace is written as .json alone, not as " + report);
    }
    if (!texts->keep.empty()) read.keep = read_limited("--keep", texts->keep, most_kept);
    if (!texts->at.empty()) read.at = read_count("--at", texts->at, 1);
    if (read.at && read.capture.empty()) throw InputError("--at says which launch is captured: --capture is missing");
    if (!texts->limit.empty())
      read.most_captured_bytes = read_limited("--capture-limit", texts->limit, most_mebibytes) << 20;
    return read;
  };
}

}  // namespace ropewalk::tools
