#include "lib/machine/decode/fp_contract.h"

#include <map>

#include "lib/base/error.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/handlers/table.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

// mul, add or sub that may be fused: a step of one of the types, whose instruction has no rounding modifier.
struct Arithmetic {
  ptx::Calculation kind = ptx::Calculation::None;  // Multiply, Add, Subtract; else nothing that may be
  ptx::Type type = ptx::Type::None;
  bool flushes = false, saturates = false;
};

Arithmetic arithmetic_of(const Code& code, const Step& step) {
  if (step.kind != StepKind::Compute || step.result_float == ptx::Type::None) return {};
  const ptx::Opcode& opcode = code.module->opcodes[code.instruction_of(step).opcode];
  for (const std::string& modifier : opcode.modifiers) {
    if (modifier != "ftz" && modifier != "sat" && ptx::type_named(modifier) == ptx::Type::None) return {};
  }
  return {opcode.facts().calculation, step.result_float, opcode.has("ftz"), opcode.has("sat")};
}

class Contraction {
 public:
  explicit Contraction(Code& code)
      : code_(code), definitions_(code.values.size(), 0), reads_(code.values.size(), 0), kinds_(code.steps.size()) {
    for (const Step& step : code.steps) {
      for_writes(step, [&](u32 value) { ++definitions_[value]; });
      for_reads(step, [&](u32 value) { ++reads_[value]; });
    }
    for (u32 s = 0; s < code.steps.size(); ++s) kinds_[s] = arithmetic_of(code, code.steps[s]);
  }

  void run() {
    for (const ptx::Block& block : code_.flow.blocks) {
      if (block.first >= block.last) continue;
      const u32 last = code_.first_step[block.last];
      for (u32 s = code_.first_step[block.first]; s < last; ++s) fuse(s, last);
    }
    if (!negations_.empty()) insert_negations();
  }

 private:
  // Fuses the product of step s with all of its uses, or with none. `last` is the end of its block.
  void fuse(u32 s, u32 last) {
    Step& product = code_.steps[s];
    const Arithmetic kind = kinds_[s];
    if (kind.kind != ptx::Calculation::Multiply || kind.saturates || product.predicate != no_value) return;
    std::vector<u32> sums;
    bool ended = definitions_[product.d] == 1;  // nobody reads it in another block, or writes it again
    for (u32 next = s + 1; next < last; ++next) {
      const Step& step = code_.steps[next];
      u32 reads = 0;
      for_reads(step, [&](u32 value) { reads += value == product.d; });
      if (reads > 1 || (reads == 1 && !takes(kind, next, product.d))) return;
      if (reads) sums.push_back(next);
      bool rewrites = false, changes_factor = false;
      for_writes(step, [&](u32 value) {
        rewrites |= value == product.d;
        changes_factor |= value == product.a || value == product.b;
      });
      if (rewrites) {
        if (step.predicate != no_value) return;
        ended = true;
        break;
      }
      if (changes_factor) break;  // nothing after this may take the factors; a later use is found below
    }
    if (!ended || sums.empty() || uses(product.d, s, last) != sums.size()) return;
    for (const u32 sum : sums) fuse_into(sum, product, kind);
    product = Step{};
    product.instruction = code_.steps[sums.front()].instruction;
    kinds_[s] = {};
  }

  // Whether a sum can take a product of this kind. One that was fused already takes no second.
  bool takes(const Arithmetic& product, u32 sum, u32 value) const {
    const Arithmetic& kind = kinds_[sum];
    const Step& step = code_.steps[sum];
    return (kind.kind == ptx::Calculation::Add || kind.kind == ptx::Calculation::Subtract) &&
           kind.type == product.type && kind.flushes == product.flushes && step.predicate != value &&
           (step.a == value || step.b == value);
  }

  // How often the product is read before it is written again in its block, or anywhere where it is written once.
  u32 uses(u32 value, u32 s, u32 last) const {
    if (definitions_[value] == 1) return reads_[value];
    u32 count = 0;
    for (u32 at = s + 1; at < last; ++at) {
      for_reads(code_.steps[at], [&](u32 read) { count += read == value; });
      bool rewrites = false;
      for_writes(code_.steps[at], [&](u32 written) { rewrites |= written == value; });
      if (rewrites) break;
    }
    return count;
  }

  // p = a * b into d = p + c, p - c or c - p: fma(a, b, c), fma(a, b, -c) or fma(-a, b, c).
  void fuse_into(u32 at, const Step& product, const Arithmetic& kind) {
    Step& sum = code_.steps[at];
    const bool is_left = sum.a == product.d;
    u32 a = product.a, c = is_left ? sum.b : sum.a;
    if (kinds_[at].kind == ptx::Calculation::Subtract) {
      u32& negated = is_left ? c : a;
      negated = negation(at, negated, kind.type);
    }
    std::string key = "fma";
    if (kind.flushes) key += ".ftz";
    if (kinds_[at].saturates) key += ".sat";
    const KnownForm& form = form_of(key + "." + std::string(ptx::name_of(kind.type)));
    sum.vector = form.vector;
    sum.uniform = form.uniform;
    sum.flow = form.flow;
    sum.a = a;
    sum.b = product.b;
    sum.c = c;
    kinds_[at] = {};
  }

  static const KnownForm& form_of(const std::string& key) {
    const auto form = compute_table().find(key);
    if (form == compute_table().end()) throw InternalError("no handler for " + key);
    return form->second;
  }

  // A value that is the negative of another, made right before a step.
  u32 negation(u32 before, u32 value, ptx::Type type) {
    const KnownForm& form = form_of("neg." + std::string(ptx::name_of(type)));
    Value temporary;
    temporary.source = Value::Source::Temporary;
    temporary.size = code_.values[value].size;
    code_.values.push_back(temporary);
    Step step;
    step.kind = StepKind::Compute;
    step.instruction = code_.steps[before].instruction;
    step.predicate = code_.steps[before].predicate;
    step.predicate_negated = code_.steps[before].predicate_negated;
    step.pure = true;
    step.vector = form.vector;
    step.uniform = form.uniform;
    step.flow = form.flow;
    step.d = u32(code_.values.size() - 1);
    step.a = value;
    step.result_float = type;
    negations_[before] = std::move(step);
    return u32(code_.values.size() - 1);
  }

  void insert_negations() {
    std::vector<Step> steps;
    std::vector<u32> moved(code_.steps.size() + 1);
    for (u32 s = 0; s < code_.steps.size(); ++s) {
      moved[s] = u32(steps.size());
      if (const auto at = negations_.find(s); at != negations_.end()) steps.push_back(std::move(at->second));
      steps.push_back(std::move(code_.steps[s]));
    }
    moved.back() = u32(steps.size());
    code_.steps = std::move(steps);
    for (u32& first : code_.first_step) first = moved[first];
  }

  Code& code_;
  std::vector<u32> definitions_, reads_;  // by value: steps that write it, and reads of it
  std::vector<Arithmetic> kinds_;         // by step
  std::map<u32, Step> negations_;         // by the step that they go before
};

}  // namespace

void contract_products(Code& code) { Contraction(code).run(); }

}  // namespace ropewalk::machine
