// What the modifiers of an instruction choose, for the steps that have a choice.
#pragma once
#include <variant>

#include "lib/base/types.h"

namespace ropewalk::machine {

enum class ShuffleMode : u8 { Up, Down, Butterfly, Index };
enum class VoteMode : u8 { All, Any, Uniform, Ballot };
enum class MatchMode : u8 { All, Any };
enum class LaneReduction : u8 { Add, Min, Max, And, Or, Xor };  // redux.sync of integers,
struct FloatReduction {                                         // and of f32
  bool is_maximum = false, of_magnitudes = false, propagates_nan = false;
  bool operator==(const FloatReduction&) const = default;
};
enum class BarrierMode : u8 { Sync, Arrive, Count, AllHold, AnyHolds };  // the last three: bar.red .popc, .and, .or
enum class AsyncWaitMode : u8 { Groups, Everything };                    // cp.async.wait_group, .wait_all
enum class AtomicOperation : u8 {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Increment,
  Decrement,
  Exchange,
  CompareAndSwap,
  Arrive,        // at an mbarrier (decode/mbarrier.cpp)
  ArriveAndDrop  // the same, and expected no more
};

using Mode = std::variant<std::monostate, ShuffleMode, VoteMode, MatchMode, LaneReduction, FloatReduction, BarrierMode,
                          AsyncWaitMode>;

}  // namespace ropewalk::machine
