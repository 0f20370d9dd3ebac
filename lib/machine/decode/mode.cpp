#include "lib/machine/decode/mode.h"

#include <string_view>
#include <utility>

namespace ropewalk::machine {

namespace {

template <class OneMode>
using Words = std::initializer_list<std::pair<std::string_view, OneMode>>;

template <class OneMode>
std::optional<OneMode> named(const ptx::Opcode& opcode, Words<OneMode> words) {
  for (const auto& [word, mode] : words) {
    if (opcode.has(word)) return mode;
  }
  return {};
}

}  // namespace

template <>
std::optional<ShuffleMode> mode_of(const ptx::Opcode& opcode) {
  using enum ShuffleMode;
  return named<ShuffleMode>(opcode, {{"up", Up}, {"down", Down}, {"bfly", Butterfly}, {"idx", Index}});
}

template <>
std::optional<VoteMode> mode_of(const ptx::Opcode& opcode) {
  using enum VoteMode;
  return named<VoteMode>(opcode, {{"all", All}, {"any", Any}, {"uni", Uniform}, {"ballot", Ballot}});
}

template <>
std::optional<MatchMode> mode_of(const ptx::Opcode& opcode) {
  using enum MatchMode;
  return named<MatchMode>(opcode, {{"all", All}, {"any", Any}});
}

template <>
std::optional<LaneReduction> mode_of(const ptx::Opcode& opcode) {
  using enum LaneReduction;
  return named<LaneReduction>(opcode,
                              {{"add", Add}, {"min", Min}, {"max", Max}, {"and", And}, {"or", Or}, {"xor", Xor}});
}

// A barrier that reduces nothing and does not only arrive needs no modifier.
template <>
std::optional<BarrierMode> mode_of(const ptx::Opcode& opcode) {
  using enum BarrierMode;
  if (opcode.has("red")) return named<BarrierMode>(opcode, {{"popc", Count}, {"and", AllHold}, {"or", AnyHolds}});
  return opcode.has("arrive") ? Arrive : Sync;
}

template <>
std::optional<AsyncWaitMode> mode_of(const ptx::Opcode& opcode) {
  using enum AsyncWaitMode;
  return named<AsyncWaitMode>(opcode, {{"wait_group", Groups}, {"wait_all", Everything}});
}

template <>
std::optional<AtomicOperation> mode_of(const ptx::Opcode& opcode) {
  using enum AtomicOperation;
  return named<AtomicOperation>(opcode, {{"add", Add},
                                         {"min", Min},
                                         {"max", Max},
                                         {"and", And},
                                         {"or", Or},
                                         {"xor", Xor},
                                         {"inc", Increment},
                                         {"dec", Decrement},
                                         {"exch", Exchange},
                                         {"cas", CompareAndSwap},
                                         {"arrive", Arrive},
                                         {"arrive_drop", ArriveAndDrop}});
}

}  // namespace ropewalk::machine
