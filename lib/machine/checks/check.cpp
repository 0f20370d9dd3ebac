#include "lib/machine/checks/check.h"

#include "lib/machine/checks/alignment.h"
#include "lib/machine/checks/barriers.h"
#include "lib/machine/checks/bounds.h"
#include "lib/machine/checks/fields.h"
#include "lib/machine/checks/index.h"
#include "lib/machine/checks/lanes.h"
#include "lib/machine/checks/order.h"
#include "lib/machine/checks/overflow.h"
#include "lib/machine/checks/shared_race.h"
#include "lib/machine/checks/uninitialized.h"

namespace ropewalk::machine {

Occurrence AccessEvent::occurrence(Rule rule) const {
  Occurrence out;
  out.rule = rule;
  out.step = step_index;
  out.window = window_number;
  out.space = space;
  out.block = context.block->number;
  out.thread = thread();
  out.has_access = true;
  out.offset = offset;
  out.bytes = bytes;
  return out;
}

Checkers make_checkers(CheckSet checks, bool strict, bool ordered) {
  Checkers out;
  if (checks.has(Check::Overflow)) out.push_back(std::make_unique<OverflowCheck>());
  // An access that is outside cannot be performed, whether that is reported or not.
  out.push_back(std::make_unique<BoundsCheck>(checks.has(Check::Bounds)));
  if (checks.has(Check::Fields)) out.push_back(std::make_unique<FieldsCheck>());
  if (checks.has(Check::Alignment)) out.push_back(std::make_unique<AlignmentCheck>());
  if (checks.has(Check::Uninitialized)) out.push_back(std::make_unique<UninitializedCheck>());
  if (checks.has(Check::Races) && ordered) out.push_back(std::make_unique<OrderCheck>(strict));
  if (checks.has(Check::Races) && !ordered) out.push_back(std::make_unique<SharedRaceCheck>(strict));
  if (checks.has(Check::Index)) out.push_back(std::make_unique<IndexCheck>());
  if (checks.has(Check::Lanes)) out.push_back(std::make_unique<LanesCheck>());
  if (checks.has(Check::Barriers)) out.push_back(std::make_unique<BarriersCheck>());
  return out;
}

}  // namespace ropewalk::machine
