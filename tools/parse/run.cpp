#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {

namespace {

struct RunTexts {
  RunRequest options;
  std::string target, devices, skip, count, exit_code, memory, sample, on_fault;
};

// As compute-sanitizer has them, too: "kernel_substring=rotary" is *rotary*.
std::string read_pattern(const std::string& text) {
  for (const char* key : {"kernel_substring=", "kns="}) {
    if (text.starts_with(key)) return "*" + text.substr(std::string(key).size()) + "*";
  }
  for (const char* key : {"kernel_name=", "kne="}) {
    if (text.starts_with(key)) return text.substr(std::string(key).size());
  }
  return text;
}

void read_if(const char* flag, const std::string& text, u64& into) {
  if (!text.empty()) into = read_count(flag, text, 1);
}

RunRequest read_run(const RunTexts& texts) {
  RunRequest read = texts.options;
  if (read.command.empty()) {
    throw InputError("run: a program is missing; usage: rope-check run [OPTIONS] -- COMMAND ARGUMENTS...");
  }
  driver::Options& session = read.session;
  const std::vector<std::string> targets = {"sm_80", "sm_90", "sm_100"};
  if (!texts.target.empty()) session.target = targets[read_word("--target", texts.target, targets)];
  if (!texts.devices.empty()) {
    const u64 devices = read_count("--devices", texts.devices, 1);
    if (devices > 16) throw InputError("--devices: expected at most 16, found " + texts.devices);
    session.devices = u32(devices);
  }
  const std::vector<std::string> ends = {"context", "kernel"};
  if (!texts.on_fault.empty())
    session.faults_end_context = read_word("--destroy-on-device-error", texts.on_fault, ends) == 0;
  if (session.capture_all && session.capture.empty()) {
    throw InputError("--capture-all: expected --capture DIR beside it, the folder to write to");
  }
  for (std::string& pattern : session.kernels) pattern = read_pattern(pattern);
  if (!texts.skip.empty()) session.launch_skip = read_count("--launch-skip", texts.skip);
  read_if("--launch-count", texts.count, session.launch_count);
  read_if("--sample-blocks", texts.sample, session.sample_blocks);
  if (!texts.memory.empty()) session.memory_bytes = read_bytes("--memory", texts.memory);
  if (!texts.exit_code.empty()) {
    const u64 code = read_count("--error-exitcode", texts.exit_code);
    if (code > 255) throw InputError("--error-exitcode: expected at most 255, found " + texts.exit_code);
    read.error_exitcode = int(code);
  }
  return read;
}

}  // namespace

ReadCommand declare_run(CLI::App& command) {
  const auto texts = std::make_shared<RunTexts>();
  driver::Options& session = texts->options.session;
  command.add_option("COMMAND", texts->options.command, "after --: the program with its arguments")->type_name("");
  const auto declare = [&](const char* name, std::string& into, const char* type, const char* help) {
    command.add_option(name, into, help)->type_name(type);
  };
  declare("--target", texts->target, "sm_80|sm_90|sm_100", "what the virtual GPU is (sm_80)");
  declare("--devices", texts->devices, "N", "how many of them there are (1)");
  declare("--memory", texts->memory, "BYTES", "memory of each, as 512M or 16G (what it has as a GPU)");
  command
      .add_option("--kernel-name", session.kernels,
                  "check only kernels whose name fits, with * and ?; the others run unchecked (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  declare("--launch-skip", texts->skip, "N", "run the first N of these launches unchecked");
  declare("--launch-count", texts->count, "N", "check only N launches, and run later ones unchecked");
  declare("--sample-blocks", texts->sample, "N",
          "run N blocks of each launch: the first, the last and a seeded choice; the program's results are not right");
  declare(
      "--destroy-on-device-error", texts->on_fault, "context|kernel",
      "what ends where an access surely faults: all later calls fail, as on a GPU, or the program goes on (context)");
  command.add_flag("--leaks", session.leaks, "memory that is never freed is a finding");
  command.add_flag("--all-configurations", session.python_all_configurations,
                   "autotuners of Triton try every configuration, not the first alone that fits the device");
  declare("--capture", session.capture, "DIR", "write each launch with a new finding there, as a launch file");
  command.add_flag("--capture-all", session.capture_all, "with --capture: write each launch that is checked");
  declare("--error-exitcode", texts->exit_code, "N", "end with N where something was found (1)");
  return [texts]() -> Command { return read_run(*texts); };
}

}  // namespace ropewalk::tools
