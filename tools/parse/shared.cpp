#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "lib/base/error.h"
#include "reports/format.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {
namespace {

// The texts as CLI11 finds them.
struct SharedTexts {
  std::string budget, seed, jobs, executor, guards, checks, format, color, block_order, schedule, max_findings;
  std::vector<std::string> maps;
  SharedOptions options;  // those that need no reading
};

constexpr const char* group = "Options of every check";

void declare_text(CLI::App& command, const char* name, std::string& into, const char* type, const char* help) {
  command.add_option(name, into, help)->type_name(type)->group(group);
}

// Options that say where findings go and which of them fail the run.
void declare_outcome(CLI::App& command, SharedTexts& texts, const HonoredOptions& honored) {
  std::string suffixes, names;
  for (const reports::Format& format : reports::all_formats()) {
    suffixes += " " + std::string(format.suffix);
    names += (names.empty() ? "" : "|") + std::string(format.name);
  }
  command
      .add_option(honored.save ? "--report,--save" : "--report", texts.options.reports,
                  "write a report; its suffix is the format:" + suffixes + "; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)  // the word after it is no second report
      ->group(group);
  declare_text(command, "--format", texts.format, names.c_str(),
               "format of the reports, whatever their suffix; without --report, of what is printed");
  declare_text(command, "--baseline", texts.options.baseline, "FILE",
               "a JSON report: findings that it has are known and do not fail");
  declare_text(command, "--suppress", texts.options.suppressions, "FILE",
               "findings that fit this file's patterns do not fail");
  const char* const strict =
      honored.value_races ? "warnings fail; two writes of the same value are a race" : "warnings fail";
  command.add_flag("--strict", texts.options.strict, strict)->group(group);
  if (honored.listing) {
    declare_text(command, "--max-findings", texts.max_findings, "N",
                 "show N findings in full on the terminal (one of each cause, 10 at most), the rest in a line each");
  }
  command.add_flag("-q,--quiet", texts.options.quiet, "print the verdict alone")->group(group);
  declare_text(command, "--color", texts.color, "auto|always|never", "color what is printed (auto: on a terminal)");
}

void declare_executor(CLI::App& command, SharedTexts& texts) {
  declare_text(command, "--executor", texts.executor, "machine|instrumented|gpu", "what runs the kernels (machine)");
  declare_text(command, "--guards", texts.guards, "end|start|zones|none",
               "what a device's tensors touch: an unmapped page at their end or start, zones, or nothing (end)");
}

void declare_sources(CLI::App& command, SharedTexts& texts) {
  declare_text(command, "--root", texts.options.root, "DIR",
               "report the paths of sources relative to DIR (the git checkout, else the working folder)");
  command.add_option("--map", texts.maps, "report FROM at the front of a source's path as TO; repeatable")
      ->type_name("FROM=TO")
      ->allow_extra_args(false)
      ->group(group);
}

std::pair<std::string, std::string> read_map(const std::string& text) {
  const size_t sign = text.find('=');
  if (sign == 0 || sign == std::string::npos) throw InputError("--map: expected FROM=TO, found \"" + text + "\"");
  return {text.substr(0, sign), text.substr(sign + 1)};
}

void require_folder(const std::string& flag, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) throw InputError(flag + ": there is no folder " + path);
}

// An executor honors only some of the options that the command has.
void require_honored(const SharedTexts& texts, const SharedOptions& options) {
  const auto refuse = [&](const char* flag, const char* honoring) {
    throw InputError(std::string(flag) + ": the executor " + (texts.executor.empty() ? "machine" : texts.executor) +
                     " does not honor it; " + honoring);
  };
  if (!texts.guards.empty() && options.executor == ExecutorChoice::Machine) {
    refuse("--guards", "--executor gpu and --executor instrumented take it");
  }
  if (options.executor != ExecutorChoice::Gpu) return;
  const char* const machine = "--executor machine and --executor instrumented take it";
  if (options.fp_contract) refuse("--fp-contract", machine);
  if (!texts.block_order.empty()) refuse("--block-order", machine);
  if (!texts.schedule.empty()) refuse("--schedule", machine);
}

SharedOptions read_shared(const SharedTexts& texts) {
  SharedOptions options = texts.options;
  if (!texts.budget.empty()) options.budget = read_budget("--budget", texts.budget);
  if (!texts.seed.empty()) options.seed = read_count("--seed", texts.seed);
  if (!texts.jobs.empty()) {
    const u64 jobs = read_count("--jobs", texts.jobs, 1);
    if (jobs > 4096) throw InputError("--jobs: expected at most 4096, found " + texts.jobs);
    options.jobs = u32(jobs);
  }
  if (!texts.executor.empty()) {
    options.executor = ExecutorChoice(read_word("--executor", texts.executor, {"machine", "instrumented", "gpu"}));
  }
  if (!texts.guards.empty()) {
    options.guards =
        gpu::Guards(read_word("--guards", texts.guards, {std::begin(gpu::guard_names), std::end(gpu::guard_names)}));
  }
  if (!texts.checks.empty()) options.checks = parse_checks(texts.checks);
  if (!texts.color.empty()) {
    options.color = ColorChoice(read_word("--color", texts.color, {"auto", "always", "never"}));
  }
  if (!texts.block_order.empty()) options.block_order = read_count("--block-order", texts.block_order);
  if (!texts.schedule.empty()) options.schedule = read_count("--schedule", texts.schedule);
  if (!texts.format.empty()) options.format = reports::format_named(texts.format).name;
  if (!texts.max_findings.empty()) options.max_findings = read_count("--max-findings", texts.max_findings);
  options.root_given = !options.root.empty();
  if (options.root_given) require_folder("--root", options.root);
  for (const std::string& map : texts.maps) options.maps.push_back(read_map(map));
  require_honored(texts, options);
  return options;
}

}  // namespace

ReadShared declare_shared(CLI::App& command, const HonoredOptions& honored) {
  const auto texts = std::make_shared<SharedTexts>();
  if (honored.budget) {
    declare_text(command, "--budget", texts->budget, "30s|5m|2000", "stop after this time, or after so many cases");
  }
  if (honored.seed) declare_text(command, "--seed", texts->seed, "N", "seed of inputs and of sampled blocks (1)");
  if (honored.jobs) declare_text(command, "--jobs", texts->jobs, "N", "worker threads (one a core)");
  if (honored.executor) declare_executor(command, *texts);
  if (honored.checks) {
    declare_text(command, "--checks", texts->checks, "all|LIST", "checks to make, as bounds,races or all,-races (all)");
  }
  if (honored.outcome) declare_outcome(command, *texts, honored);
  if (honored.sources) declare_sources(command, *texts);
  if (honored.machine) {
    command
        .add_flag("--fp-contract,--contract", texts->options.fp_contract,
                  "fuse mul and add without rounding modifier, as ptxas may")
        ->group(group);
    declare_text(command, "--block-order", texts->block_order, "N",
                 "run blocks in another order, drawn from this seed");
    declare_text(command, "--schedule", texts->schedule, "N",
                 "where threads synchronise, draw from this seed who runs next");
  }
  return [texts] { return read_shared(*texts); };
}

const std::map<std::string, bool>& reporting_options() {
  static const std::map<std::string, bool> names = [] {
    CLI::App command;
    SharedTexts texts;
    declare_outcome(command, texts, {.save = true, .outcome = true, .listing = true});
    std::map<std::string, bool> out;
    for (const CLI::Option* option : command.get_options()) {
      const bool has_value = option->get_items_expected_max() > 0;
      for (const std::string& name : option->get_snames()) out["-" + name] = has_value;
      for (const std::string& name : option->get_lnames()) out["--" + name] = has_value;
    }
    for (const char* kept : {"-h", "--help", "--strict"}) out.erase(kept);  // --strict also finds more
    return out;
  }();
  return names;
}

}  // namespace ropewalk::tools
