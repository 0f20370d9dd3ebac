#include "lib/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "lib/base/error.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/decode/data_paths.h"
#include "lib/machine/decode/grid_wait.h"
#include "lib/machine/decode/undefined.h"
#include "lib/machine/describe.h"
#include "lib/machine/limits.h"
#include "lib/machine/reach.h"
#include "lib/machine/runs.h"
#include "lib/ptx/header.h"
#include "lib/ptx/special.h"

namespace ropewalk::machine {

namespace {

class Machine : public Executor {
 public:
  std::string_view name() const override { return "machine"; }
  Outcome run(const Launch& launch, const RunOptions& options) override;

 private:
  Decoded& decode(const Launch& launch, bool fp_contract);
  void execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded);

  std::map<std::tuple<const ptx::Module*, std::string, bool, bool>, Decoded> decoded_;
};

Decoded& Machine::decode(const Launch& launch, bool fp_contract) {
  Decoded& decoded = decoded_[{launch.module.get(), launch.entry, fp_contract, launch.is_cooperative}];
  if (decoded.code) return decoded;
  const ptx::Function* entry = launch.module->entry(launch.entry);
  if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
  if (!entry->has_body) {
    throw InputError(InputLocation{launch.module->path, entry->line, 0, {}},
                     fmt::format("the entry {} is declared here and has no body", entry->name));
  }
  decoded.module = launch.module;
  decoded.code = make_code(launch.module, *entry, fp_contract, launch.is_cooperative);
  decoded.may_be_undefined = registers_read_before_written(*decoded.code);
  return decoded;
}

// Why a launch has no outcome to judge; "" where it has one.
std::string cut_short(Worker::End end, const RunOptions& options) {
  if (end == Worker::End::Unfinished && options.is_stopped()) return "not finished: it was interrupted";
  if (end == Worker::End::Unfinished) {
    return options.budget ? fmt::format("not finished: the budget of {} instructions is used up", options.budget)
                          : fmt::format("not finished after {:g} s", options.seconds);
  }
  if (end == Worker::End::Hang && !options.checks.has(Check::Hang))
    return "it hangs: nobody can go on, and the check for that is off";
  return "";
}

BranchCoverage coverage_of(const Code& code, const std::vector<u8>& branches) {
  BranchCoverage coverage;
  for (u32 s = 0; s < branches.size(); ++s) {
    if (code.steps[s].kind != StepKind::Branch || code.steps[s].predicate == no_value) continue;
    coverage.branches.push_back({code.instruction_of(code.steps[s]).line, (branches[s] & Block::branch_taken) != 0,
                                 (branches[s] & Block::branch_not_taken) != 0,
                                 (branches[s] & Block::branch_divergent) != 0});
  }
  return coverage;
}

// What is reported of a run besides its findings.
void note_how_it_ran(Outcome& outcome, const Attempt& run, const Launch& launch, const Code& code) {
  const auto note = [&](std::string text) {
    if (!text.empty()) outcome.notes.push_back(std::move(text));
  };
  if (launch.location.is_given()) {
    note("the machine has one memory: the device and the stream of a launch are not looked at");
  }
  note(ptx::newer_text(code.module->version, code.module->target));
  if (run.lost_stores) {
    note("stores whose addresses come from a finding were dropped: outputs that nobody wrote are not reported");
  }
  if (run.is_settled) note("findings that come again and again were counted in the first blocks alone");
}

// How wide the numbers may be that pad the structs which an instruction stored copies of. Structs that lay in memory of
// the block have no wider ones than the kernel stored there.
u32 pads_to(const UndefinedStores::Stored& stored, const MemoryStep& memory, const Code& code) {
  u32 widest = is_float(memory.type) || stored.is_computed ? 0 : 8;
  for (const auto& [key, collected] : stored.found.found()) {
    const Occurrence& read = collected.example;
    if (read.space == MemorySpace::Local) widest = std::min(widest, code.scalar_widths.local.widest);
    if (read.space == MemorySpace::Shared)
      widest = std::min(widest, code.scalar_widths.in_shared(read.variable).widest);
  }
  return widest;
}

// What it stored in private memory that nobody wrote.
void take_undefined_stores(Outcome& outcome, Attempt& run, const Launch& launch, const Code& code) {
  run.undefined_stores.tidy();
  if (run.undefined_stores.all().empty()) return;
  const ReadBehind is_read_behind(launch, code);
  for (const auto& [key, stored] : run.undefined_stores.all()) {
    const i32 tensor = run.memory->tensor_of(key.first);
    const MemoryStep& memory = *code.steps[key.second].memory;
    outcome.undefined_stores.push_back({.tensor = u32(tensor),
                                        .is_message = memory.is_strong(),
                                        .pads_to = pads_to(stored, memory, code),
                                        .is_read_behind = is_read_behind(key.second),
                                        .ranges = stored.ranges,
                                        .findings = describe(stored.found, launch, code, run.memory->windows())});
  }
}

void Machine::execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded) {
  const Code& code = *decoded.code;
  Runs runs(launch, options, decoded);
  Attempt run = runs.take(outcome);
  outcome.statistics.seconds = runs.seconds();
  outcome.statistics.thread_instructions = options.count ? run.thread_instructions : 0;
  outcome.statistics.blocks = runs.blocks();
  outcome.statistics.blocks_total = launch.grid.count();
  if (options.coverage) outcome.coverage = coverage_of(code, run.branches);
  note_how_it_ran(outcome, run, launch, code);
  outcome.findings = describe(run.collector, launch, code, run.memory->windows());
  outcome.grid_controls = {(run.grid_controls & grid_wait) != 0, (run.grid_controls & grid_trigger) != 0,
                           (run.grid_controls & early_grid_trigger) != 0};
  outcome.goes_by_data = !outcome.findings.empty() && goes_by_data(code);
  outcome.made_again = run.met;
  for (const Finding& finding : outcome.findings) outcome.made_again.erase(finding.id);
  if (options.reported && !runs.is_ordered()) decoded.known.add(run.collector, launch, code, run.memory->windows());
  take_undefined_stores(outcome, run, launch, code);
  outcome.printed = run.collector.printed();
  outcome.complaints = run.collector.complaints();
  outcome.accesses = run.recorded.by_instruction(code);
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const Window& window = run.memory->tensor(n);
    outcome.tensors.push_back(
        {window.data, window.written, window.initialized, window.poisoned, window.loaded, {}, {}, {}});
    if (window.touches) outcome.tensors.back().touched = window.touches->found();
    if (window.early) outcome.tensors.back().touched_early = window.early->found();
  }
  for (const auto& [window, bits] : run.undefined_stores.bits())
    outcome.tensors[u32(run.memory->tensor_of(window))].undefined_bits.insert(bits.begin(), bits.end());
  outcome.storage = std::move(run.memory);
  const std::string why = run.end == Worker::End::Refused ? run.refusal : cut_short(run.end, options);
  if (!why.empty()) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = describe_refusal(why, run.refusal_step, code);
  } else if (!outcome.findings.empty() || !outcome.made_again.empty()) {
    outcome.kind = OutcomeKind::Found;
  }
}

namespace {

// Whether a kernel asks where in its cluster a block is. Without that, and without instructions for clusters, blocks of
// a cluster are blocks as others are.
bool knows_clusters(const ptx::Function& kernel) {
  return std::ranges::any_of(kernel.operands, [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::Special &&
           ptx::name_of(ptx::Special(operand.id)).find("cluster") != std::string_view::npos;
  });
}

// Why a launch cannot run; "": it can.
std::string why_not_run(const Launch& launch, const Code& code) {
  if (launch.module->address_size != 64) {
    return fmt::format("{}: addresses of {} bits are not supported, expected .address_size 64", launch.module->path,
                       launch.module->address_size);
  }
  if (launch.block.count() == 0 || launch.block.count() > 1024 || launch.grid.count() == 0) {
    return fmt::format("a launch of {} blocks with {} threads cannot run", launch.grid.count(), launch.block.count());
  }
  if (const u32 blocks = code.function.cluster_blocks(); blocks > 1 && knows_clusters(code.function))
    return fmt::format("clusters of {} blocks (.reqnctapercluster) are not supported", blocks);
  constexpr u64 most_shared = u64(2) << 20;  // far beyond any GPU's
  if (code.dynamic_shared_offset + launch.dynamic_shared_bytes > most_shared)
    return fmt::format("a launch with {} bytes of dynamic shared memory cannot run", launch.dynamic_shared_bytes);
  return "";
}

}  // namespace

Outcome Machine::run(const Launch& launch, const RunOptions& options) {
  Outcome outcome;
  Decoded& decoded = decode(launch, options.fp_contract);
  if (options.checks.has(Check::Limits)) {
    outcome.findings = check_limits(launch, *decoded.code);
    if (!outcome.findings.empty()) {
      outcome.kind = OutcomeKind::Found;
      outcome.statistics.blocks_total = launch.grid.count();
      return outcome;
    }
  }
  outcome.reason = why_not_run(launch, *decoded.code);
  if (!outcome.reason.empty()) {
    outcome.kind = OutcomeKind::NotRun;
    return outcome;
  }
  execute(outcome, launch, options, decoded);
  return outcome;
}

}  // namespace

std::unique_ptr<Executor> make_machine() { return std::make_unique<Machine>(); }

}  // namespace ropewalk::machine
