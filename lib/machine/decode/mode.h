// The modes of steps by the modifiers of their instructions.
#pragma once
#include <optional>

#include "lib/machine/mode.h"
#include "lib/ptx/module.h"

namespace ropewalk::machine {

// The one that the opcode names, of a mode that modifiers name. Nothing where it names none.
template <class OneMode>
std::optional<OneMode> mode_of(const ptx::Opcode& opcode);

template <>
std::optional<ShuffleMode> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<VoteMode> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<MatchMode> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<LaneReduction> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<BarrierMode> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<AsyncWaitMode> mode_of(const ptx::Opcode& opcode);
template <>
std::optional<AtomicOperation> mode_of(const ptx::Opcode& opcode);

}  // namespace ropewalk::machine
