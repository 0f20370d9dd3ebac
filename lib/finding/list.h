// The one list of rules and of checks. A name that users read is the one in the code in small letters: OutOfBoundsRead
// is "out-of-bounds-read". What a check is, with its rules, stands in lib/machine/checks/unit.h.
#pragma once
#include <string>
#include <string_view>

namespace ropewalk {

// In the order in which findings are sorted.
#define ROPEWALK_RULES(X)   \
  X(OutOfBoundsRead)        \
  X(OutOfBoundsWrite)       \
  X(IndexOutOfField)        \
  X(MisalignedAccess)       \
  X(UninitializedRead)      \
  X(UseAfterFree)           \
  X(SharedRace)             \
  X(GlobalRace)             \
  X(BarrierDivergence)      \
  X(InactiveLaneRead)       \
  X(IndexOverflow)          \
  X(DivisionByZero)         \
  X(NonfiniteOrigin)        \
  X(Hang)                   \
  X(LaunchLimit)            \
  X(OutputMismatch)         \
  X(OutputNotWritten)       \
  X(NondeterministicOutput) \
  X(BadArgumentAccepted)    \
  X(GoodArgumentRejected)   \
  X(CacheMismatch)          \
  X(RankMismatch)           \
  X(InitOrder)              \
  X(SignatureMismatch)      \
  X(DeviceAssert)           \
  X(IllegalAddress)         \
  X(LaunchFailed)           \
  X(InvalidFree)            \
  X(DoubleFree)             \
  X(MemoryLeak)             \
  X(OverlappingCopy)        \
  X(StreamRace)

// In the order in which they are listed.
#define ROPEWALK_CHECKS(X) \
  X(Bounds)                \
  X(Fields)                \
  X(Index)                 \
  X(Alignment)             \
  X(Uninitialized)         \
  X(Races)                 \
  X(Barriers)              \
  X(Lanes)                 \
  X(Overflow)              \
  X(Division)              \
  X(Nonfinite)             \
  X(Hang)                  \
  X(Limits)                \
  X(Outputs)

#define RW_ENUMERATOR(name) name,
#define RW_SPELLED(name) in_small_letters(#name),

inline std::string in_small_letters(std::string_view name) {
  std::string out;
  for (const char letter : name) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    if (is_capital && !out.empty()) out += '-';
    out += is_capital ? char(letter - 'A' + 'a') : letter;
  }
  return out;
}

}  // namespace ropewalk
