#include "lib/machine/index_sources.h"

#include <cstring>
#include <set>

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

bool may_be_of_tensors(const MemoryStep& memory) {
  return memory.space == MemorySpace::Generic || memory.space == MemorySpace::Global ||
         memory.space == MemorySpace::Constant;
}

bool is_inside_window(const AccessEvent& event) {
  return event.window && event.offset >= 0 && u64(event.offset) + event.bytes <= event.window->bytes;
}

class Slice {
 public:
  explicit Slice(const Code& code) : code_(code), writers_(code.values.size()) {
    for (u32 s = 0; s < code.steps.size(); ++s)
      for_writes(code.steps[s], [&](u32 value) { writers_[value].push_back(s); });
  }

  // Whether something is loaded that the value is made of; what decides whether it is taken is no part of it. Besides
  // the one that makes it of what was loaded, others may only go on from it, as a pointer does in a loop: else it may
  // have been made before that was loaded again.
  bool follow(u32 value) {
    if (value == no_value || code_.values[value].is_predicate || !followed_.insert(value).second) return false;
    u32 loaded = 0, others = 0;
    for (const u32 writer : writers_[value]) {
      const bool is_loaded = is_loaded_by(writer, value);
      loaded += is_loaded;
      others += !is_loaded && !goes_on(writer, value);
    }
    is_one_way_ &= loaded == 0 || loaded + others == 1;
    return loaded > 0;
  }

  std::map<u32, u32> loads() const { return is_one_way_ ? loads_ : std::map<u32, u32>(); }

 private:
  bool goes_on(u32 writer, u32 value) const {
    bool reads = false;
    for_reads(code_.steps[writer], [&](u32 operand) { reads |= operand == value; });
    return reads;
  }

  bool is_loaded_by(u32 writer, u32 value) {
    const Step& step = code_.steps[writer];
    if (step.is_select()) return false;  // one of two
    if (step.kind == StepKind::Compute) {
      bool any = false;
      for (const u32 operand : {step.a, step.b, step.c, step.e}) any |= follow(operand);
      return any;
    }
    if (step.kind != StepKind::Load || !may_be_of_tensors(*step.memory) || is_float(step.memory->type)) return false;
    for (u32 n = 0; n < step.memory->count; ++n) loads_[writer] |= u32(step.memory->values[n] == value) << n;
    return true;
  }

  const Code& code_;
  std::vector<std::vector<u32>> writers_;  // by value: steps
  std::set<u32> followed_;
  std::map<u32, u32> loads_;
  bool is_one_way_ = true;
};

}  // namespace

std::map<u32, u32> loads_of_address(const Code& code, u32 step) {
  const MemoryStep* const memory = code.steps[step].memory.get();
  if (!memory) return {};
  Slice slice(code);
  slice.follow(memory->source_address != no_value ? memory->source_address : memory->address);
  return slice.loads();
}

void IndexSources::on_access(const AccessEvent& event, Verdict&) {
  if (event.thread() != example_.thread || event.context.block->number != example_.block) return;
  const bool is_inside = is_inside_window(event);
  // What is far away is in no window; which tensor it was meant for is found out later.
  if (event.step_index == example_.step && found_.empty() && (!is_inside || event.offset == example_.offset)) {
    for (const auto& [step, loaded] : last_) found_.insert(found_.end(), loaded.begin(), loaded.end());
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
