// Operations that lanes of a warp do together.
#include <fmt/format.h>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

namespace {

// shfl.sync.MODE.b32 d[|p], a, b, c, membermask
void shuffle(Decoder& decoder) {
  const auto mode = decoder.mode<ShuffleMode>();
  if (!mode) return;
  const Operand& target = decoder.operand(0);
  const bool pair = target.kind == Kind::Pair;
  const bool sync = decoder.opcode().has("sync");
  const u32 a = decoder.source(decoder.operand(1), 4), b = decoder.source(decoder.operand(2), 4);
  const u32 c = decoder.source(decoder.operand(3), 4);
  const u32 mask = sync ? decoder.source(decoder.operand(4), 4) : decoder.constant(0xffffffffu, 4);
  const u32 d = decoder.destination(pair ? decoder.part(target, 0) : target, 4);
  const u32 p = pair ? decoder.destination(decoder.part(target, 1), 1) : no_value;
  Step& step = decoder.append(StepKind::Shuffle);
  step.mode = *mode;
  step.d = d;
  step.d2 = p;
  step.inputs = {a, b, c, mask};
  step.outputs = {d};
  if (p != no_value) step.outputs.push_back(p);
}

// vote.sync.{all,any,uni}.pred p, {!}a, mask; vote.sync.ballot.b32 d, {!}a, mask
void vote(Decoder& decoder) {
  const auto mode = decoder.mode<VoteMode>();
  if (!mode) return;
  const u32 a = decoder.predicate(decoder.operand(1));
  const u32 mask =
      decoder.opcode().has("sync") ? decoder.source(decoder.operand(2), 4) : decoder.constant(0xffffffffu, 4);
  const u32 d = decoder.destination(decoder.operand(0), mode == VoteMode::Ballot ? 4 : 1);
  Step& step = decoder.append(StepKind::Vote);
  step.mode = *mode;
  step.d = d;
  step.inputs = {a, mask};
  step.outputs = {d};
}

// match.sync.any.TYPE d, a, mask; match.sync.all.TYPE d[|p], a, mask
void match(Decoder& decoder) {
  const auto mode = decoder.mode<MatchMode>();
  if (!mode) return;
  const u32 size = ptx::size_of(decoder.type());
  const Operand& target = decoder.operand(0);
  const bool pair = target.kind == Kind::Pair;
  const u32 a = decoder.source(decoder.operand(1), size), mask = decoder.source(decoder.operand(2), 4);
  const u32 d = decoder.destination(pair ? decoder.part(target, 0) : target, 4);
  const u32 p = pair ? decoder.destination(decoder.part(target, 1), 1) : no_value;
  Step& step = decoder.append(StepKind::Match);
  step.mode = *mode;
  step.d = d;
  step.d2 = p;
  step.inputs = {a, mask};
  step.outputs = {d};
  if (p != no_value) step.outputs.push_back(p);
}

// redux.sync.OP.TYPE d, a, mask
void reduce(Decoder& decoder) {
  const auto operation = decoder.mode<LaneReduction>();
  if (!operation) return;
  const u32 a = decoder.source(decoder.operand(1), 4), mask = decoder.source(decoder.operand(2), 4);
  const u32 d = decoder.destination(decoder.operand(0), 4);
  Step& step = decoder.append(StepKind::Reduce);
  step.mode = *operation;
  if (decoder.type() == ptx::Type::F32) {
    const ptx::Opcode& opcode = decoder.opcode();
    step.mode = FloatReduction{*operation == LaneReduction::Max, opcode.has("abs"), opcode.has("NaN")};
  }
  step.immediate = decoder.type() == ptx::Type::S32;
  step.d = d;
  step.inputs = {a, mask};
  step.outputs = {d};
}

void active_mask(Decoder& decoder) {
  const u32 d = decoder.destination(decoder.operand(0), 4);
  Step& step = decoder.append(StepKind::ActiveMask);
  step.d = d;
  step.outputs = {d};
}

// elect.sync d|p, mask
void elect(Decoder& decoder) {
  const Operand& target = decoder.operand(0);
  const u32 mask = decoder.source(decoder.operand(1), 4);
  const u32 d = decoder.destination(decoder.part(target, 0), 4);
  const u32 p = decoder.destination(decoder.part(target, 1), 1);
  Step& step = decoder.append(StepKind::Elect);
  step.d = d;
  step.d2 = p;
  step.inputs = {mask};
  step.outputs = {d, p};
}

}  // namespace

bool decode_warp(Decoder& decoder) {
  switch (decoder.opcode().op) {
    case "shfl"_op:
      return shuffle(decoder), true;
    case "vote"_op:
      return vote(decoder), true;
    case "match"_op:
      return match(decoder), true;
    case "redux"_op:
      return reduce(decoder), true;
    case "activemask"_op:
      return active_mask(decoder), true;
    case "elect"_op:
      return decoder.operand(0).kind == Kind::Pair && (elect(decoder), true);
    default:
      return false;
  }
}

}  // namespace ropewalk::machine
