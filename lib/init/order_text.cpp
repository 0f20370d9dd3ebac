#include "lib/init/order_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::init {
namespace {

std::string state_text(const Plan& plan, const RankState& rank) {
  std::string text;
  for (size_t n = 0; n < rank.buffers.size(); ++n) {
    const BufferState& buffer = rank.buffers[n];
    text += fmt::format("{}{} {}", n ? ", " : "", plan.buffers[n].name, name_of(buffer.label));
    if (buffer.captured && buffer.freed_by >= 0) {
      text += fmt::format(" (the captured pointer: {})", name_of(Label::Stale));
    }
  }
  return text + (rank.stopped ? ", stopped by an exception" : "");
}

}  // namespace

std::vector<std::string> trace_of(const Plan& plan, const Unit& unit, States& states, const std::vector<u8>& steps,
                                  u32 rank) {
  size_t width = 0;
  for (const u8 step : steps) width = std::max(width, unit.name_of(plan, step).size());
  std::vector<std::string> lines;
  u32 state = states.initial();
  for (const u8 step : steps) {
    state = states.after(state, step);
    lines.push_back(
        fmt::format("{:<{}}  {}", unit.name_of(plan, step), width, state_text(plan, states.state(state).ranks[rank])));
  }
  return lines;
}

std::string order_text(const Plan& plan, const Unit& unit, const std::vector<u8>& steps) {
  std::string text;
  for (const u8 step : steps) text += (text.empty() ? "" : " -> ") + unit.name_of(plan, step);
  return text;
}

}  // namespace ropewalk::init
