#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/percent.h"
#include "lib/compare/judge.h"
#include "lib/launch/values.h"

namespace ropewalk::compare {
namespace {

// Where the entry begins: the outermost position of its first instruction that has one.
std::optional<FindingLocation> entry_location(const Launch& launch) {
  const ptx::Function* entry = launch.module ? launch.module->entry(launch.entry) : nullptr;
  if (!entry) return {};
  FindingLocation location;
  location.ptx_file = launch.module->path;
  location.ptx_line = entry->line;
  for (const ptx::Instruction& instruction : entry->instructions) {
    if (!instruction.location) continue;
    const ptx::Location* at = &entry->locations[instruction.location];
    while (at->inlined_at) at = &entry->locations[at->inlined_at];
    location.file = launch.module->files[at->file];
    location.line = at->line;
    location.column = at->column;
    break;
  }
  return location;
}

// The number of the argument that passes the tensor, also inside a struct.
std::optional<i64> argument_of(const Launch& launch, u32 tensor) {
  for (u64 n = 0; n < launch.arguments.size(); ++n) {
    bool passes = false;
    for_tensors(launch.arguments[n], [&](const TensorArgument& passed, u64) { passes |= passed.tensor == tensor; });
    if (passes) return i64(n);
  }
  return {};
}

// The two numbers of an element, with all the digits of whole ones.
struct NumberTexts {
  std::string got, expected;

  NumberTexts(const WrongElement& element, Dtype dtype) : got(element.exact_got), expected(element.exact_expected) {
    if (!got.empty()) return;
    const bool is_whole = !is_floating(dtype) && dtype != Dtype::C64;
    got = is_whole ? fmt::format("{:.0f}", element.got) : fmt::format("{:.9g}", element.got);
    expected = is_whole && element.expected == std::floor(element.expected) ? fmt::format("{:.0f}", element.expected)
                                                                            : fmt::format("{:.9g}", element.expected);
  }
};

std::string message_of(const Launch& launch, const Expectation& expectation, const Judgement& judgement) {
  const std::string& name = launch.tensors[expectation.tensor].name;
  const WrongElement& worst = *judgement.worst;
  std::string text = fmt::format("{} of {} elements of {} are wrong", judgement.wrong, judgement.compared, name);
  if (judgement.wrong == 1) text = fmt::format("1 of {} elements of {} is wrong", judgement.compared, name);
  if (judgement.not_a_number) text += fmt::format(" ({} are NaN)", judgement.not_a_number);
  const NumberTexts numbers(worst, launch.tensors[expectation.tensor].dtype);
  text += fmt::format(": {}{} is {} where {} is expected", name, text_of(worst.index), numbers.got, numbers.expected);
  if (std::isfinite(worst.expected)) text += fmt::format(", within {:.3g}", worst.bound);
  if (expectation.same_as) text += fmt::format(" (as in {})", launch.tensors[*expectation.same_as].name);
  return text;
}

}  // namespace

Finding mismatch_finding(const Launch& launch, const Expectation& expectation, const Judgement& judgement) {
  const LaunchTensor& tensor = launch.tensors[expectation.tensor];
  Finding finding;
  finding.rule = Rule::OutputMismatch;
  finding.message = message_of(launch, expectation, judgement);
  finding.kernel_name = launch.kernel_name;
  finding.kernel_entry = launch.entry;
  finding.location = entry_location(launch);
  Access access;
  access.space = "global";
  access.bytes = size_of(tensor.dtype);
  access.tensor = tensor.name;
  access.argument = argument_of(launch, expectation.tensor);
  access.index = judgement.first->index;
  access.shape = tensor.shape;
  access.dtype = std::string(name_of(tensor.dtype));
  access.byte_offset = offset_of(tensor.strides, judgement.first->index) * size_of(tensor.dtype);
  finding.access = std::move(access);
  const WrongElement& worst = *judgement.worst;
  finding.numbers = Numbers{worst.got, worst.expected, worst.bound, worst.index};
  finding.occurrences.accesses = judgement.wrong;
  const NumberTexts first(*judgement.first, tensor.dtype);
  finding.evidence = {
      fmt::format("first wrong element: {}, got {}, expected {}", text_of(judgement.first->index), first.got,
                  first.expected),
      fmt::format("{} of {} compared elements ({} %), largest error {:.3g} = {:.3g} units in the last place",
                  judgement.wrong, judgement.compared, percent_rounded(judgement.fraction_wrong(), 3),
                  judgement.largest_error, judgement.largest_ulps)};
  finding.footprint = judgement.footprint;
  identify(finding);
  return finding;
}

void judge_outputs(const Launch& launch, Outcome& outcome) {
  if (outcome.kind == OutcomeKind::NotRun || outcome.tensors.size() < launch.tensors.size()) return;
  const bool sampled = outcome.statistics.blocks < outcome.statistics.blocks_total;
  const bool cut = std::any_of(outcome.findings.begin(), outcome.findings.end(),
                               [](const Finding& finding) { return finding.rule == Rule::DeviceAssert; });
  for (const Expectation& expectation : launch.expectations) {
    const Judgement judgement = judge(launch, expectation, outcome.tensors, sampled || cut);
    if (!judgement.wrong) continue;
    outcome.findings.push_back(mismatch_finding(launch, expectation, judgement));
    if (outcome.kind == OutcomeKind::Agreed) outcome.kind = OutcomeKind::Disagreed;
  }
}

}  // namespace ropewalk::compare
