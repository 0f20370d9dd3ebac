#include "lib/problem/problem.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/problem/call_text.h"

namespace ropewalk {

std::string_view kind_of(const Problem& problem) {
  return std::holds_alternative<RotaryProblem>(problem) ? "rotary" : "attention";
}

std::string text_of(const Problem& problem) {
  return std::visit([](const auto& of_kind) { return text_of(of_kind); }, problem);
}

Problem parse_problem(std::string_view text) {
  const CallText call = CallText::parse(text);
  if (call.name == "rotary") return parse_rotary(text);
  if (call.name == "attention") return parse_attention(text);
  throw InputError(call.place(), fmt::format("no problem \"{}\", {}", one_line(call.name),
                                             did_you_mean(call.name, {"attention", "rotary"})));
}

u64 seed_of(const Problem& problem) {
  return std::visit([](const auto& of_kind) { return of_kind.seed; }, problem);
}

}  // namespace ropewalk
