#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "reports/format.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk {
namespace {

// The texts as CLI11 finds them.
struct SharedTexts {
  std::string budget, seed, jobs, executor, checks, format, color, block_order;
  std::vector<std::string> reports;
  bool strict = false, quiet = false;
};

SharedOptions read_shared(const SharedTexts& texts) {
  SharedOptions options;
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
  if (!texts.checks.empty()) options.checks = parse_checks(texts.checks);
  if (!texts.color.empty()) {
    options.color = ColorChoice(read_word("--color", texts.color, {"auto", "always", "never"}));
  }
  if (!texts.block_order.empty()) options.block_order = read_count("--block-order", texts.block_order);
  if (!texts.format.empty()) {
    format_named(texts.format);
    if (texts.reports.empty()) throw InputError("--format says how to write report files; --report FILE is missing");
  }
  options.format = texts.format;
  options.reports = texts.reports;
  options.strict = texts.strict;
  options.quiet = texts.quiet;
  return options;
}

}  // namespace

ReadShared declare_shared(CLI::App& command) {
  const auto texts = std::make_shared<SharedTexts>();
  const auto option = [&](const char* name, std::string& into, const char* type, const char* help) {
    return command.add_option(name, into, help)->type_name(type)->group("Options of every check");
  };
  const auto flag = [&](const char* name, bool& into, const char* help) {
    command.add_flag(name, into, help)->group("Options of every check");
  };
  option("--budget", texts->budget, "30s|5m|2000", "stop after this time, or after so many cases");
  option("--seed", texts->seed, "N", "seed of inputs and of sampled blocks (1)");
  option("--jobs", texts->jobs, "N", "worker threads (one a core)");
  option("--executor", texts->executor, "NAME", "machine, instrumented or gpu (machine)");
  option("--checks", texts->checks, "all|LIST", "checks to make, as bounds,races or all,-races (all)");
  command.add_option("--report", texts->reports, "write a report; the suffix (.json .txt) is the format; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)  // the word after it is no second report
      ->group("Options of every check");
  option("--format", texts->format, "NAME", "format of the reports, whatever their suffix: json or txt");
  flag("--strict", texts->strict, "warnings fail; two writes of the same value are a race");
  flag("--quiet", texts->quiet, "print the verdict alone");
  option("--color", texts->color, "WHEN", "auto, always or never (auto)");
  option("--block-order", texts->block_order, "N", "run blocks in another order, drawn from this seed");
  return [texts] { return read_shared(*texts); };
}

}  // namespace ropewalk
