#include "tests/mutants/mutant.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/machine/instruction_location.h"
#include "lib/ptx/renumber.h"
#include "lib/ptx/write.h"
#include "reports/source.h"

namespace ropewalk::mutants {
namespace {

// The innermost position outside the CUDA toolkit's headers, which inlined functions of ours are called from.
struct Position {
  std::string file;
  u32 line = 0;  // 0: the PTX does not say
};

Position position_of(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction) {
  u32 number = instruction.location;
  while (number != 0) {
    const ptx::Location& location = function.locations[number];
    const std::string& file = module.files[location.file];
    if (location.line != 0 && !machine::is_toolkit_header(file)) return {file, location.line};
    number = location.inlined_at;
  }
  return {};
}

std::string trimmed(const std::string& text) {
  const u64 first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last + 1 - first);
}

const ptx::Function& function_of(const ptx::Module& module, const std::string& entry) {
  const ptx::Function* function = module.entry(entry);
  if (!function) throw InternalError(module.path + " has no entry " + entry);
  return *function;
}

}  // namespace

std::string Mutant::name() const {
  return fmt::format("{}:{}:{}{}", entry, ptx_line, rule, choice ? fmt::format(":{}", choice + 1) : "");
}

std::vector<Mutant> mutants_of(const ptx::Module& module, const std::string& entry) {
  const ptx::Function& function = function_of(module, entry);
  const std::vector<ParameterRegister> parameters = parameter_registers(module, function);
  const SourceLines lines = reports::source_lines_from({ROPEWALK_SOURCE_DIR});
  std::vector<Mutant> all;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    const ptx::Instruction& instruction = function.instructions[n];
    const Position at = position_of(module, function, instruction);
    const std::string source = at.line ? fmt::format("{}:{}", at.file, at.line) : "";
    const std::string line = at.line ? trimmed(lines(at.file, at.line).value_or("")) : "";
    for (const Operator& rule : operators()) {
      const std::vector<Change> changes = rule.changes({module, function, parameters, n});
      for (u32 choice = 0; choice < changes.size(); ++choice) {
        all.push_back({entry, n, rule.name, choice, changes[choice].what, ptx::text_of(module, function, instruction),
                       instruction.line, source, line});
      }
    }
  }
  return all;
}

std::shared_ptr<const ptx::Module> mutate(const ptx::Module& module, const Mutant& mutant) {
  const ptx::Function& function = function_of(module, mutant.entry);
  const std::vector<ParameterRegister> parameters = parameter_registers(module, function);
  for (const Operator& rule : operators()) {
    if (rule.name != mutant.rule) continue;
    const std::vector<Change> changes = rule.changes({module, function, parameters, mutant.number});
    auto changed = std::make_shared<ptx::Module>(module);
    ptx::Function& edited = changed->functions[u64(&function - module.functions.data())];
    Editor editor(*changed, edited);
    changes.at(mutant.choice).apply(editor, mutant.number);
    ptx::renumber(edited);
    return changed;
  }
  throw InternalError("no operator " + mutant.rule);
}

}  // namespace ropewalk::mutants
