#include "lib/machine/index_sources.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <set>

#include "lib/machine/decode/step_values.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

bool may_be_of_tensors(const MemoryStep& memory) {
  return memory.space == MemorySpace::Generic || memory.space == MemorySpace::Global ||
         memory.space == MemorySpace::Constant;
}

bool is_inside_window(const AccessEvent& event) {
  return event.window && event.offset >= 0 && u64(event.offset) + event.bytes <= event.window->bytes;
}

// Where control may go from a step.
class Ways {
 public:
  explicit Ways(const Code& code) : code_(code) {}

  // Whether it may get from one step to another and pass none of these on the way.
  bool lead_past(u32 from, u32 to, const std::vector<u32>& barred) const {
    std::vector<bool> seen(code_.steps.size());
    for (const u32 step : barred) seen[step] = true;
    std::vector<u32> open;
    add_next(from, open);
    while (!open.empty()) {
      const u32 step = open.back();
      open.pop_back();
      if (step == to) return true;
      if (seen[step]) continue;
      seen[step] = true;
      add_next(step, open);
    }
    return false;
  }

 private:
  void add_next(u32 step, std::vector<u32>& out) const {
    const ptx::Block& block = code_.flow.blocks[code_.flow.block_of[code_.steps[step].instruction]];
    if (step + 1 < code_.first_step[block.last]) return out.push_back(step + 1);
    for (const u32 next : block.successors) {
      const u32 first = code_.first_step[code_.flow.blocks[next].first];
      if (next != code_.flow.exit && first < code_.steps.size()) out.push_back(first);
    }
  }

  const Code& code_;
};

using Loads = std::set<std::pair<u32, u32>>;  // steps, and which element each loads

// What a value is made of.
class Slice {
 public:
  explicit Slice(const Code& code) : code_(code), ways_(code), writers_(code.values.size()) {
    for (u32 s = 0; s < code.steps.size(); ++s)
      for_writes(code.steps[s], [&](u32 value) { writers_[value].push_back(s); });
  }

  // The loads whose numbers a value is made of, where that step uses it. Several steps may make it, such as the two
  // ways of a division, but of the same loads. Others may only go on from it, as a pointer does in a loop.
  Loads follow(u32 value, u32 user) {
    constexpr std::size_t most_values = 512;
    is_sure_ &= made_of_.size() < most_values;
    if (!is_sure_ || value == no_value || code_.values[value].is_predicate) return {};
    const auto [at, is_new] = made_of_.try_emplace(value);
    if (is_new) at->second = loads_behind(value);
    // What was loaded again since it was made would be taken for what it was made of.
    const std::vector<u32> makers = makers_of(value);
    for (const auto& [load, element] : at->second)
      is_sure_ &= std::ranges::find(makers, load) != makers.end() || !ways_.lead_past(load, user, makers);
    return at->second;
  }

  bool is_sure() const { return is_sure_; }

 private:
  Loads loads_behind(u32 value) {
    std::vector<Loads> all;
    for (const u32 writer : writers_[value]) {
      if (!goes_on(writer, value) && !is_default(writer, value)) all.push_back(loads_of_step(writer, value));
    }
    if (all.empty()) return {};
    is_sure_ &= std::ranges::all_of(all, [&](const Loads& one) { return one == all.front(); });
    return all.front();
  }

  // Whether a move only gives the value that a load behind it leaves where its mask is false, as Triton's do: a thread
  // whose mask is false has no access with it.
  bool is_default(u32 writer, u32 value) const {
    return std::ranges::any_of(writers_[value], [&](u32 load) { return has_default(load, writer); });
  }
  bool has_default(u32 load, u32 writer) const {
    const auto block_of = [&](u32 step) { return code_.flow.block_of[code_.steps[step].instruction]; };
    return load > writer && code_.steps[load].kind == StepKind::Load && is_one_of(writer, {"mov"_op}) &&
           block_of(load) == block_of(writer);
  }

  // The steps that make it again whenever they are come to.
  std::vector<u32> makers_of(u32 value) const {
    std::vector<u32> out;
    for (const u32 writer : writers_[value]) {
      const bool makes = code_.steps[writer].predicate == no_value ||
                         std::ranges::any_of(writers_[value], [&](u32 it) { return has_default(writer, it); });
      if (makes && !goes_on(writer, value)) out.push_back(writer);
    }
    return out;
  }

  bool goes_on(u32 writer, u32 value) const {
    bool reads = false;
    for_reads(code_.steps[writer], [&](u32 operand) { reads |= operand == value; });
    return reads && is_one_of(writer, {"add"_op, "sub"_op});
  }

  bool is_one_of(u32 step, std::initializer_list<ptx::Op> names) const {
    const ptx::Op name = code_.module->opcode(code_.instruction_of(code_.steps[step])).op;
    return std::ranges::find(names, name) != names.end();
  }

  Loads loads_of_step(u32 writer, u32 value) {
    const Step& step = code_.steps[writer];
    Loads out;
    if (step.kind == StepKind::Compute) {
      for (const u32 operand : {step.a, step.b, step.c, step.e}) out.merge(follow(operand, writer));
      is_sure_ &= out.size() <= most_index_sources;
      // It is one of two.
      is_sure_ &= out.empty() || !(step.is_select() || is_one_of(writer, {"min"_op, "max"_op}));
      return out;
    }
    if (step.kind == StepKind::Load && step.memory->space == MemorySpace::Parameter) return out;
    if (step.kind != StepKind::Load || !may_be_of_tensors(*step.memory) || is_float(step.memory->type)) {
      is_sure_ = false;  // another thread, an atomic or the block's own memory has a part in it
      return out;
    }
    for (u32 n = 0; n < step.memory->count; ++n) {
      if (step.memory->values[n] == value) out.emplace(writer, n);
    }
    return out;
  }

  const Code& code_;
  const Ways ways_;
  std::vector<std::vector<u32>> writers_;  // by value: steps
  std::map<u32, Loads> made_of_;           // by value: loads
  bool is_sure_ = true;
};

}  // namespace

std::map<u32, u32> loads_of_address(const Code& code, u32 step) {
  const MemoryStep* const memory = code.steps[step].memory.get();
  if (!memory) return {};
  Slice slice(code);
  std::map<u32, u32> out;
  const u32 address = memory->source_address != no_value ? memory->source_address : memory->address;
  for (const auto& [load, element] : slice.follow(address, step)) out[load] |= 1u << element;
  return slice.is_sure() ? out : std::map<u32, u32>();
}

void IndexSources::on_access(const AccessEvent& event, Verdict&) {
  if (event.thread() != example_.thread || event.context.block->number != example_.block) return;
  const bool is_inside = is_inside_window(event);
  // What is far away is in no window; which tensor it was meant for is found out later.
  if (event.step_index == example_.step && found_.empty() && (!is_inside || event.offset == example_.offset)) {
    const bool has_all = std::ranges::all_of(loads_, [&](const auto& load) { return !last_[load.first].empty(); });
    for (const auto& [step, loaded] : last_) {
      if (has_all) found_.insert(found_.end(), loaded.begin(), loaded.end());
    }
    return;
  }
  const auto at = loads_.find(event.step_index);
  if (at == loads_.end()) return;
  std::vector<LoadedIndex>& loaded = last_[event.step_index];
  loaded.clear();
  if (!is_inside || event.window->lazy) return;  // contents that are made when they are touched are not there yet
  const u32 bytes = event.step.memory->element_bytes;
  for (u32 elements = at->second; elements; elements &= elements - 1) {
    const u32 n = u32(__builtin_ctz(elements));
    u64 bits = 0;
    std::memcpy(&bits, event.window->data + event.offset + n * bytes, bytes);
    loaded.push_back(
        {event.step_index, event.window_number, event.offset + n * bytes, bytes, bits, event.step.memory->sign_extend});
  }
}

}  // namespace ropewalk::machine
