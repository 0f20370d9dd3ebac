#include "lib/machine/order/seen.h"

#include "lib/machine/order/order.h"

namespace ropewalk::machine::order {

void Seen::close(Place& place) {
  if (!place.is_open) return;
  place.is_open = false;
  all_.block = joined(all_.block, place.block);
  all_.device = joined(joined(all_.device, place.block), place.device);
  all_.ticketed = joined(joined(all_.ticketed, place.ticket_of_block), place.ticket_of_device);
  all_.passed = joined(all_.passed, place.passed);
}

void Seen::read(u64 location, const Published& there, u64 block, bool leaves_block, bool acquires, Reader reader) {
  const SharedClock own = there.of_block(block);
  const bool sees = !acquires && (own || (leaves_block && there.device));
  if (!sees && !there.passed) return;
  Place& place = places_.at(location, [&](Place& old) { close(old); });
  if (place.chain != there.chain) {
    close(place);
    Place next;
    next.chain = there.chain;
    next.earlier_block = joined(place.earlier_block, place.block);
    next.earlier_device = joined(place.earlier_device, place.device);
    place = std::move(next);
  }
  const auto take = [&](SharedClock& to, const SharedClock& from) {
    if (!from || to == from) return;
    to = from;
    place.is_open = true;
  };
  take(place.passed, there.passed);
  if (!sees) return;
  take(place.block, own);
  if (leaves_block) take(place.device, there.device);
  has_peeked_ |= reader == Reader::Load;
  if (reader != Reader::Ticket) return;
  take(place.ticket_of_block, own);
  if (leaves_block) take(place.ticket_of_device, there.device);
}

const Views<SharedClock>& Seen::all() {
  places_.each([&](Place& place) { close(place); });
  return all_;
}

SharedClock Seen::at(u64 location, bool leaves_block) {
  const Place* const place = places_.find(location);
  if (!place) return nullptr;
  const SharedClock block = joined(place->earlier_block, place->block);
  return leaves_block ? joined(block, joined(place->earlier_device, place->device)) : block;
}

void Seen::join(const Views<Clock>& others) {
  all_.device = joined(all_.device, others.device);
  all_.block = joined(all_.block, others.block);
  all_.ticketed = joined(all_.ticketed, others.ticketed);
  all_.passed = joined(all_.passed, others.passed);
}

}  // namespace ropewalk::machine::order
