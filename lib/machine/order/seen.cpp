#include "lib/machine/order/seen.h"

#include "lib/machine/order/order.h"

namespace ropewalk::machine::order {

void Seen::close(Location& here) {
  if (!here.is_open) return;
  here.is_open = false;
  all_.block = joined(all_.block, here.block);
  all_.device = joined(joined(all_.device, here.block), here.device);
  all_.ticketed = joined(joined(all_.ticketed, here.ticket_of_block), here.ticket_of_device);
  all_.passed = joined(all_.passed, here.passed);
}

void Seen::read(u64 location, const Published& there, u64 block, bool leaves_block, bool acquires, Reader reader) {
  const SharedClock own = there.of_block(block);
  const bool sees = !acquires && (own || (leaves_block && there.device));
  if (!sees && !there.passed) return;
  Location& here = locations_.at(location, [&](Location& old) { close(old); });
  if (here.chain != there.chain) {
    close(here);
    Location next;
    next.chain = there.chain;
    next.earlier_block = joined(here.earlier_block, here.block);
    next.earlier_device = joined(here.earlier_device, here.device);
    here = std::move(next);
  }
  const auto take = [&](SharedClock& to, const SharedClock& from) {
    if (!from || to == from) return;
    to = from;
    here.is_open = true;
  };
  take(here.passed, there.passed);
  if (!sees) return;
  take(here.block, own);
  if (leaves_block) take(here.device, there.device);
  has_peeked_ |= reader == Reader::Load;
  if (reader != Reader::Ticket) return;
  take(here.ticket_of_block, own);
  if (leaves_block) take(here.ticket_of_device, there.device);
}

const Views<SharedClock>& Seen::all() {
  locations_.each([&](Location& here) { close(here); });
  return all_;
}

SharedClock Seen::at(u64 location, bool leaves_block) {
  const Location* const here = locations_.find(location);
  if (!here) return nullptr;
  const SharedClock block = joined(here->earlier_block, here->block);
  return leaves_block ? joined(block, joined(here->earlier_device, here->device)) : block;
}

void Seen::join(const Views<Clock>& others) {
  all_.device = joined(all_.device, others.device);
  all_.block = joined(all_.block, others.block);
  all_.ticketed = joined(all_.ticketed, others.ticketed);
  all_.passed = joined(all_.passed, others.passed);
}

}  // namespace ropewalk::machine::order
