#include "lib/machine/order/clock.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

using Times = std::vector<std::pair<u64, u32>>;

constexpr u32 bits_of_a_piece = 6;  // blocks of one

u32 time_of(const Times& times, u64 key) {
  const auto at = std::ranges::lower_bound(times, key, {}, &std::pair<u64, u32>::first);
  return at != times.end() && at->first == key ? at->second : 0;
}

void raise_to(Times& times, u64 key, u32 time) {
  const auto at = std::ranges::lower_bound(times, key, {}, &std::pair<u64, u32>::first);
  if (at != times.end() && at->first == key)
    at->second = std::max(at->second, time);
  else
    times.insert(at, {key, time});
}

// Whether all of b is in a, or, where an entry is not, it is so by `otherwise`(entry).
template <class Otherwise>
bool has_all(const Times& a, const Times& b, Otherwise otherwise) {
  auto at = a.begin();
  for (const auto& entry : b) {
    while (at != a.end() && at->first < entry.first) ++at;
    const bool has = at != a.end() && at->first == entry.first && at->second >= entry.second;
    if (!has && !otherwise(entry)) return false;
  }
  return true;
}

Times joined_times(const Times& a, const Times& b) {
  Times both;
  both.reserve(a.size() + b.size());
  auto at = a.begin();
  for (const auto& entry : b) {
    while (at != a.end() && at->first < entry.first) both.push_back(*at++);
    both.push_back(entry);
    if (at != a.end() && at->first == entry.first) both.back().second = std::max(entry.second, at++->second);
  }
  both.insert(both.end(), at, a.end());
  return both;
}

}  // namespace

bool Clock::covers(u64 block, u32 thread, u32 time) const {
  const auto at = std::ranges::lower_bound(pieces_, block >> bits_of_a_piece, {}, &Entry::number);
  if (at == pieces_.end() || at->number != block >> bits_of_a_piece) return false;
  const Piece& piece = *at->piece;
  return time_of(piece.blocks, block) >= time || time_of(piece.warps, block << 5 | thread / 32) >= time ||
         time_of(piece.threads, block << 10 | thread) >= time;
}

void Clock::raise(u64 block, Times Piece::*times, u64 key, u32 time) {
  const u64 number = block >> bits_of_a_piece;
  auto at = std::ranges::lower_bound(pieces_, number, {}, &Entry::number);
  if (at == pieces_.end() || at->number != number) at = pieces_.insert(at, {number, std::make_shared<Piece>()});
  auto raised = std::make_shared<Piece>(*at->piece);
  raised->growth = at->piece->growth.next();
  raise_to((*raised).*times, key, time);
  if (times != &Piece::threads) raised->drop_known();
  at->piece = std::move(raised);
}

// One of the two, where it has all that the other has; of two that say the same always the same one, so that clocks
// that came to know it in different ways share it from then on.
std::shared_ptr<const Clock::Piece> Clock::joined(const std::shared_ptr<const Piece>& a,
                                                  const std::shared_ptr<const Piece>& b) {
  if (a->growth.includes(b->growth)) return a;
  if (b->growth.includes(a->growth)) return b;
  if (*a == *b) return a < b ? a : b;
  const auto covers = [](const Piece& one, const Piece& other) {
    return has_all(one.blocks, other.blocks, [](const auto&) { return false; }) &&
           has_all(one.warps, other.warps, [&](const auto& it) { return one.has_warp_by_block(it); }) &&
           has_all(one.threads, other.threads, [&](const auto& it) { return one.has_thread_by_more(it); });
  };
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  Piece both{joined_times(a->blocks, b->blocks), joined_times(a->warps, b->warps), joined_times(a->threads, b->threads),
             a->growth.next()};
  both.drop_known();
  return std::make_shared<Piece>(std::move(both));
}

// The numbers of a warp and of a block are those of their threads, less their last bits.
bool Clock::Piece::has_warp_by_block(const std::pair<u64, u32>& warp) const {
  return time_of(blocks, warp.first >> 5) >= warp.second;
}
bool Clock::Piece::has_thread_by_more(const std::pair<u64, u32>& thread) const {
  return time_of(warps, thread.first >> 5) >= thread.second || time_of(blocks, thread.first >> 10) >= thread.second;
}

void Clock::Piece::drop_known() {
  std::erase_if(warps, [&](const auto& it) { return has_warp_by_block(it); });
  std::erase_if(threads, [&](const auto& it) { return has_thread_by_more(it); });
}

void Clock::gather(u64 block, u32 thread_count) {
  const auto at = std::ranges::lower_bound(pieces_, block >> bits_of_a_piece, {}, &Entry::number);
  if (at == pieces_.end() || at->number != block >> bits_of_a_piece) return;
  Piece gathered = *at->piece;
  const auto first_of = [&](u64 key) {
    return std::ranges::lower_bound(gathered.threads, key, {}, &std::pair<u64, u32>::first);
  };
  bool has_some = false;
  for (u32 first = 0; first < thread_count; first += 32) {
    const u32 lanes = std::min(32u, thread_count - first);
    const auto entry = first_of(block << 10 | first);
    if (gathered.threads.end() - entry < lanes || (entry + (lanes - 1))->first != (block << 10 | (first + lanes - 1)))
      continue;
    if (!std::all_of(entry, entry + lanes, [&](const auto& it) { return it.second == entry->second; })) continue;
    raise_to(gathered.warps, block << 5 | first / 32, entry->second);
    has_some = true;
  }
  if (!has_some) return;
  gathered.growth = at->piece->growth.next();
  gathered.drop_known();
  at->piece = std::make_shared<Piece>(std::move(gathered));
}

void Clock::join(const Clock& other) {
  if (pieces_.empty()) {
    pieces_ = other.pieces_;
    return;
  }
  auto at = pieces_.begin();
  for (const Entry& entry : other.pieces_) {
    at = std::lower_bound(at, pieces_.end(), entry.number,
                          [](const Entry& it, u64 number) { return it.number < number; });
    if (at == pieces_.end() || at->number != entry.number)
      at = pieces_.insert(at, entry);
    else if (at->piece != entry.piece)
      at->piece = joined(at->piece, entry.piece);
  }
}

bool Clock::shares_all_of(const Clock& other) const {
  auto at = pieces_.begin();
  for (const Entry& entry : other.pieces_) {
    while (at != pieces_.end() && at->number < entry.number) ++at;
    if (at == pieces_.end() || at->piece != entry.piece) return false;
  }
  return true;
}

SharedClock joined(const SharedClock& a, const SharedClock& b) {
  if (!a || a == b) return b;
  if (!b || a->shares_all_of(*b)) return a;
  if (b->shares_all_of(*a)) return b;
  auto both = std::make_shared<Clock>(*a);
  both->join(*b);
  return both;
}

SharedClock joined(const SharedClock& a, const Clock& b) {
  if (b.empty() || (a && a->shares_all_of(b))) return a;
  auto both = a ? std::make_shared<Clock>(*a) : std::make_shared<Clock>();
  both->join(b);
  return both;
}

}  // namespace ropewalk::machine::order
