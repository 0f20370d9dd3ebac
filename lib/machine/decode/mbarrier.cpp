// mbarrier objects in shared memory, as atomics and strong reads of their 64 bits (lib/machine/mbarrier.h). What PTX
// calls the state of a phase is the object as an arrival found it. Transactions (expect_tx, complete_tx) are
// not known.
#include "lib/machine/mbarrier.h"

#include <fmt/format.h>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

namespace {

constexpr u64 both_counts = u64(1) << mbarrier::expected_bit | 1;

// The object's 64 bits. What threads do to it is ordered within the block.
std::unique_ptr<MemoryStep> object(Decoder& decoder, const Operand& address, Strength strength) {
  auto memory = std::make_unique<MemoryStep>();
  memory->space = decoder.opcode().has("shared") || decoder.opcode().has("shared::cta") ? MemorySpace::Shared
                                                                                        : MemorySpace::Generic;
  memory->element_bytes = 8;
  memory->type = ptx::Type::B64;
  memory->strength = strength;
  memory->scope = Scope::Block;
  decoder.set_address(address, memory->space, memory->address, memory->offset);
  return memory;
}

void initialise(Decoder& decoder) {
  auto memory = object(decoder, decoder.operand(0), Strength::Weak);
  const u32 count = decoder.computed("%resize.u32.u64", 8, decoder.source(decoder.operand(1), 4));
  memory->values[0] = decoder.computed("mul.lo.u64", 8, count, decoder.constant(both_counts, 8));
  const u32 value = memory->values[0];
  Step& step = decoder.append(StepKind::Store);
  step.inputs = {value};
  step.memory = std::move(memory);
}

// mbarrier.arrive{.noComplete} state, [addr]{, count}: all that the thread did so far is published.
void arrive(Decoder& decoder) {
  const auto operation = decoder.mode<AtomicOperation>();
  if (!operation) return;
  const Operand& state = decoder.operand(0);
  const bool is_relaxed = decoder.opcode().has("relaxed");
  auto memory = object(decoder, decoder.operand(1), is_relaxed ? Strength::Relaxed : Strength::Release);
  memory->operation = *operation;
  const u32 count = decoder.operand_count() > 2
                        ? decoder.computed("%resize.u32.u64", 8, decoder.source(decoder.operand(2), 4))
                        : decoder.constant(1, 8);
  memory->values[0] = count;
  memory->has_result = state.kind != Kind::Sink;
  const u32 result = memory->has_result ? decoder.destination(state, 8) : no_value;
  Step& step = decoder.append(StepKind::Atomic);
  step.d = result;
  step.inputs = {count};
  if (result != no_value) step.outputs = {result};
  step.memory = std::move(memory);
}

// cp.async.mbarrier.arrive{.noinc} [addr]: when the thread's copies have come, which they may have at once, it arrives.
// Without .noinc the arrival is expected in addition, so that none is missing less afterwards. Whoever finds the phase
// over finds the copies; nobody else does.
void arrive_with_copies(Decoder& decoder) {
  auto memory = object(decoder, decoder.operand(0), Strength::Release);
  memory->operation = AtomicOperation::Arrive;
  const u32 count = decoder.constant(decoder.opcode().has("noinc") ? 1 : 0, 8);
  memory->values[0] = count;
  Step& step = decoder.append(StepKind::Atomic);
  step.inputs = {count};
  step.memory = std::move(memory);
  step.memory->arrives_with_copies = true;
}

// mbarrier.test_wait, try_wait{.parity} p, [addr], state|parity{, time}: whether that phase is over.
void test(Decoder& decoder) {
  const bool is_relaxed = decoder.opcode().has("relaxed");
  auto memory = object(decoder, decoder.operand(1), is_relaxed ? Strength::Relaxed : Strength::Acquire);
  const u32 seen = decoder.temporary(8);
  memory->values[0] = seen;
  const bool by_parity = decoder.opcode().has("parity");
  u32 before = decoder.source(decoder.operand(2), by_parity ? 4 : 8);
  if (by_parity) {
    const u32 wide = decoder.computed("%resize.u32.u64", 8, before);
    before = decoder.computed("shl.b64", 8, wide, decoder.constant(mbarrier::phase_bit, 4));
  }
  memory->is_phase_test = true;
  memory->second_operand = before;
  {
    Step& step = decoder.append(StepKind::Load);
    step.inputs.push_back(before);
    step.outputs = {seen};
    step.memory = std::move(memory);
  }
  const u32 changed = decoder.computed("xor.b64", 8, seen, before);
  const u32 phase = decoder.computed("shr.u64", 8, changed, decoder.constant(mbarrier::phase_bit, 4));
  decoder.compute("setp.ne.u64", decoder.destination(decoder.operand(0), 1), phase, decoder.constant(0, 8));
}

}  // namespace

bool decode_mbarrier(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  const bool is_of_copies = opcode.op == "cp"_op;
  const std::string_view what = is_of_copies ? "copies" : decoder.modifier(0);
  const bool is_remote = opcode.has("shared::cluster") || opcode.has("cluster") || opcode.has("expect_tx");
  if (is_remote || what == "expect_tx" || what == "complete_tx") {
    decoder.refuse(fmt::format("{} is not supported", opcode.text));
  } else if (is_of_copies || what == "init" || what == "arrive" || what == "arrive_drop" || what == "test_wait" ||
             what == "try_wait") {
    decoder.code().needs_order = true;
    decoder.code().shared_granule = std::min(decoder.code().shared_granule, 4u);
    if (is_of_copies)
      arrive_with_copies(decoder);
    else if (what == "init")
      initialise(decoder);
    else if (what == "test_wait" || what == "try_wait")
      test(decoder);
    else
      arrive(decoder);
  } else if (what == "inval") {
    decoder.append(StepKind::Nothing);
  } else if (what == "pending_count") {
    const u32 state = decoder.source(decoder.operand(1), 8);
    const u32 missing = decoder.computed("and.b64", 8, state, decoder.constant(mbarrier::count_mask, 8));
    decoder.compute("%resize.u64.u32", decoder.destination(decoder.operand(0), 4), missing);
  } else {
    return false;
  }
  return true;
}

}  // namespace ropewalk::machine
