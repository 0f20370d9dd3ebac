#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/compare/expect.h"
#include "lib/problem/call_text.h"
#include "tools/commands/examine.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/run.h"

namespace ropewalk::tools {
namespace {

// What is run where the command line says nothing: several sequences, heads and tokens, and quick.
constexpr const char* default_fields = "B=2,T=16,H=4,D=64";

// Sets a field of the problem's text; the problem's own reader judges the value.
void set_field(CallText& call, const std::string& key, const std::string& value) {
  for (CallText::Field& field : call.fields) {
    if (field.key == key) {
      field.value = value;
      return;
    }
  }
  call.fields.push_back({key, value, 0});
}

std::string text_of_call(const CallText& call) {
  std::string out = call.name + "(";
  for (const CallText::Field& field : call.fields) {
    out += (&field == call.fields.data() ? "" : ",") + field.key + "=" + field.value;
  }
  return out + ")";
}

Problem problem_of(const KernelOptions& options, const SharedOptions& shared, const Kernel& kernel) {
  if (options.problem.empty() && kernel.family->name != "rotary") {
    throw InputError(fmt::format("case: {} needs --problem '{}(...)'; --shape and the options beside it are of rotary",
                                 kernel.name, kernel.family->name));
  }
  const std::string given =
      options.problem.empty() ? fmt::format("{}({})", kernel.family->name, default_fields) : options.problem;
  const Problem first = families::parse_problem(given);  // so that an error shows the text as it was given
  if (kind_of(first) != kernel.family->name) {
    throw InputError(fmt::format("--problem: {} answers problems of the kind {}, not {}", kernel.name,
                                 kernel.family->name, kind_of(first)));
  }
  if (options.fields.empty() && !shared.seed) return first;
  CallText call = CallText::parse(given);
  for (const ProblemField& field : options.fields) set_field(call, field.key, field.value);
  if (shared.seed) set_field(call, "seed", std::to_string(*shared.seed));
  return families::parse_problem(text_of_call(call));
}

const Kernel& kernel_of(const KernelOptions& options, const Program& program) {
  if (!options.name.empty()) return kernels::kernel_named(options.name);
  const Family& family = families::family_of(families::parse_problem(options.problem));
  if (!program.is_about(family.name)) {
    throw InputError(fmt::format("case: {} has no kernels for problems of the kind {}; its kinds are {}", program.name,
                                 family.name, fmt::join(program.families, ", ")));
  }
  return *std::ranges::find(kernels::all_kernels(), &family, &Kernel::family);
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) out += (out.empty() ? "" : "; ") + sentence;
  return out;
}

// A kernel that builds a cache has no x, and options that speak of x say nothing to it.
void require_used(const KernelOptions& options, const Launch& launch) {
  if (!std::ranges::any_of(launch.tensors, [](const LaunchTensor& tensor) { return tensor.name == "cos"; })) return;
  if (std::ranges::any_of(launch.tensors, [](const LaunchTensor& tensor) {
        return tensor.name != "cos" && tensor.name != "sin" && tensor.name != "frequencies";
      })) {
    return;
  }
  for (const ProblemField& field : options.fields) {
    for (const char* flag :
         {"--inplace", "--backward", "--dtype", "--row-gap", "--token-gap", "--rounding", "--input"}) {
      if (field.flag == flag)
        throw InputError(field.flag + ": " + launch.kernel_name + " has no x and does not honor it");
    }
  }
}

}  // namespace

Plan plan_of(const KernelOptions& options, const SharedOptions& shared) {
  const Kernel& kernel = kernel_of(options, *shared.program);
  const Problem problem = problem_of(options, shared, kernel);
  const std::string text = text_of(problem);
  const std::vector<std::string> reasons = kernel.reject(problem);
  if (!reasons.empty()) {
    throw InputError(fmt::format("{}: rejected by the preconditions of {}: {}", text, kernel.name, joined(reasons)));
  }

  Case one;
  one.text = text;
  std::vector<std::string> words = words_of_case(*shared.program, kernel.name, text);
  if (options.blocks) {
    words.insert(words.end(), {"--blocks", std::to_string(options.blocks)});
  }
  one.replay = replay_line(shared, std::move(words));
  one.launch = kernel.launch(problem);
  require_used(options, one.launch);
  one.family = kernel.family;
  one.problem = problem;
  if (options.blocks) one.launch.blocks = {options.blocks, seed_of(problem)};

  Plan plan;
  const std::string why_nothing = compare::expect_answer(kernel, problem, one.launch);
  if (!why_nothing.empty()) plan.notes.push_back("no output is compared: " + why_nothing);
  plan.seed = seed_of(problem);
  plan.cases.push_back(std::move(one));
  return plan;
}

reports::Report examine(const KernelOptions& options, const Request& request) {
  return run(plan_of(options, request.shared), request);
}

}  // namespace ropewalk::tools
