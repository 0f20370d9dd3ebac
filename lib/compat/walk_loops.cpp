// Loops of a caller's source: over items that are known one by one, else once.
#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/compat/for_now.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

constexpr size_t most_rounds = 16;

template <class All>
void append(All& into, All&& more) {
  into.insert(into.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

bool CallWalk::goes_on_for_ever(const PythonNode& loop) {
  bool leaves = false;
  visit_statements(loop.all("body"), [&](const PythonNode& one) { leaves = leaves || one.is("Break"); });
  const std::set<std::string> assigned = assigned_names(loop.all("body"));
  visit_nodes(loop.one("test"),
              [&](const PythonNode& one) { leaves = leaves || assigned.count(one.word) || one.is("NamedExpr"); });
  return !leaves;
}

CallWalk::States CallWalk::loop(const PythonNode& one, States states) {
  const PythonNode& subject = one.one(one.is("While") ? "test" : "iter");
  States out;
  for (PythonState& state : states) {
    find_calls_of(one, state);
    give_named(one, state);
    const auto known = one.is("For") ? conditions_.constant_of(subject, state) : std::nullopt;
    const auto items = known ? known->elements() : std::nullopt;
    const std::optional<bool> truth = one.is("While") ? conditions_.truth_of(subject, state) : std::nullopt;
    if (truth == false) {
      append(out, block(one.all("orelse"), {std::move(state)}));
    } else if (items && items->size() <= most_rounds) {
      append(out, unrolled(one, *items, std::move(state)));
    } else {
      if (!truth) note_unclear(subject, state);
      States ends = rounds(one, {std::move(state)});
      if (truth != true || !goes_on_for_ever(one)) append(out, std::move(ends));
    }
  }
  return limited(std::move(out), one.last_line);
}

// What a loop gives a truth may have it from the round before.
CallWalk::States CallWalk::rounds(const PythonNode& one, States states) {
  const std::vector<PythonNode>& body = one.all("body");
  const std::set<std::string> changed = changed_names(body);
  for (PythonState& state : states) {
    state.doubt(assigned_names(body));
    state.forget_items(changed);
    if (one.one("target")) give(one.one("target"), {}, state);
  }
  const States before = states;
  States after;
  {
    const ForNow continued(continued_, nullptr);
    const ForNow broken(broken_, nullptr);
    after = block(body, std::move(states));
  }
  if (after.empty()) after = before;
  for (PythonState& state : after) state.forget_items(changed);
  return block(one.all("orelse"), std::move(after));
}

CallWalk::States CallWalk::unrolled(const PythonNode& one, const std::vector<PythonConstant>& items,
                                    PythonState state) {
  States broken, next = {std::move(state)};
  for (const PythonConstant& item : items) {
    States continued;
    for (PythonState& each : next) give_item(one.one("target"), item, each);
    {
      const ForNow continue_to(continued_, &continued);
      const ForNow break_to(broken_, &broken);
      next = block(one.all("body"), std::move(next));
    }
    append(next, std::move(continued));
    next = limited(std::move(next), one.line);
  }
  next = block(one.all("orelse"), std::move(next));
  append(next, std::move(broken));
  return next;
}

void CallWalk::give_item(const PythonNode& target, const PythonConstant& item, PythonState& state) {
  const std::vector<PythonNode>& parts = target.all("elts");
  const auto values = parts.empty() ? std::nullopt : taken_apart(item, parts);
  if (!values) return give(target, target.is("Name") ? AbstractValue::of(item) : AbstractValue{}, state);
  for (size_t n = 0; n < parts.size(); ++n) {
    give_item(parts[n].is("Starred") ? parts[n].one("value") : parts[n], (*values)[n], state);
  }
}

}  // namespace ropewalk::compat
