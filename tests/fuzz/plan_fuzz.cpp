// Any text as a plan: it is refused with one line, or its orders can be explored. Small plans are, and what is reported
// of them is consistent.
#include "lib/base/error.h"
#include "lib/init/explore.h"
#include "lib/init/read_plan.h"
#include "lib/init/unit.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ropewalk;

bool is_small(const init::Plan& plan) {
  i64 rows = 0;
  for (const init::BufferPlan& buffer : plan.buffers) rows += buffer.rows;
  for (const init::Event& event : plan.events) {
    rows += event.kind == init::EventKind::Grow ? event.rows : 0;
    if (event.positions > 16 || event.first_position > 1024) return false;
  }
  return plan.formula.pairs() <= 16 && rows <= 256 && plan.ranks <= 4 && plan.events.size() <= 6;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const init::Plan plan = init::read_plan(text, "input.json");
    require(!plan.events.empty() && !plan.buffers.empty() && plan.ranks >= 1, "a plan of nothing", text);
    for (u32 rank = 0; rank < plan.ranks; ++rank) init::unit_of(plan, {rank});
    if (!is_small(plan)) return 0;
    init::Simulator simulator(plan);
    const init::Exploration exploration = init::explore(simulator, {2000, 200});
    if (exploration.cut) return 0;
    require(exploration.orders.is_zero() || exploration.orders == exploration.good || !exploration.failures.empty(),
            "bad orders without a failure", text);
    require(exploration.failures.empty() || !(exploration.orders == exploration.good), "failures, and all is good",
            text);
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
  }
  return 0;
}
