#include "lib/machine/judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "lib/base/half.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/launch_state.h"
#include "lib/ptx/updates.h"

namespace ropewalk::machine {

namespace {

// Of the reads by one instruction so many are followed: they stand for the others.
constexpr u64 most_reads = u64(1) << 18;

// Sums of the lanes of a warp are made in five steps, each of which rounds by half a unit of the terms; what fusing a
// product into one changes is of that size too. Twice that, for two sums, and twice again for sums of warps.
constexpr double units = 16;

// Both are numbers, one may be zero (sums cancel), and they differ by so many units of the terms that they may be sums
// of.
bool are_close(double a, double b, double unit, double terms) {
  if (!(std::isnormal(a) || a == 0) || !(std::isnormal(b) || b == 0) || (a == 0 && b == 0)) return false;
  return std::abs(a - b) <= units * unit * std::max({std::abs(a), std::abs(b), terms});
}

template <class Bits, class Close>
bool all_are_close(const std::byte* a, const std::byte* b, u32 bytes, Close close) {
  for (u32 at = 0; at + sizeof(Bits) <= bytes; at += sizeof(Bits)) {
    Bits one, other;
    std::memcpy(&one, a + at, sizeof one);
    std::memcpy(&other, b + at, sizeof other);
    if (one != other && !close(one, other)) return false;
  }
  return true;
}

// A word that holds a 16-bit float in its low half and nothing else, as shuffles of such floats have it.
bool is_half(u32 word) { return word >> 16 == 0; }

bool are_close_floats(const AccessEvent& event, double terms) {
  return all_are_close<u32>(event.data, event.stored, event.bytes, [&](u32 a, u32 b) {
    return are_close(__builtin_bit_cast(float, a), __builtin_bit_cast(float, b), 0x1p-23, terms);
  });
}

// Neighbours of bf16 are taken for equal, too, whose numbers look like others of f16.
bool are_close_halves(const AccessEvent& event, double terms) {
  return all_are_close<u16>(event.data, event.stored, event.bytes, [&](u16 a, u16 b) {
    return are_close(f16_to_f32(a), f16_to_f32(b), 0x1p-11, terms) || a - b == 1 || b - a == 1;
  });
}

// Two bf16 or f16 in each word of 32 bits, neither of them 0 or very small, as they would be of an integer.
bool are_close_pairs(const AccessEvent& event, double terms) {
  const auto is_usual = [](u16 half) {
    const float wide = std::abs(bf16_to_f32(half)), narrow = std::abs(f16_to_f32(half));
    return (wide > 0x1p-30f && wide < 0x1p30f) || (narrow > 0x1p-10f && narrow < 0x1p15f);
  };
  const auto close = [&](u16 a, u16 b) {
    const bool are_neighbours = a - b == 1 || b - a == 1;
    return is_usual(a) && is_usual(b) &&
           (a == b || are_neighbours || are_close(f16_to_f32(a), f16_to_f32(b), 0x1p-11, terms));
  };
  return all_are_close<u32>(event.data, event.stored, event.bytes,
                            [&](u32 a, u32 b) { return close(u16(a), u16(b)) && close(u16(a >> 16), u16(b >> 16)); });
}

// By the type of the store; of untyped bits, which hold integers as well, what is a normal number as a float of their
// width is taken for one. stmatrix takes floats of 32 bits as halves, two of a row for each.
bool differ_by_rounding(const AccessEvent& event, double terms, double half_terms) {
  if (!event.stored || !event.data || event.is_asynchronous) return false;
  using ptx::Type;
  const MemoryStep& memory = *event.step.memory;
  if (event.step.kind == StepKind::StoreMatrix)
    return are_close_halves(event, half_terms) || are_close_floats(event, terms);
  const bool is_untyped = memory.type == Type::B64 || memory.type == Type::B32 || memory.type == Type::B16;
  switch (memory.element_bytes) {
    case 8:
      return memory.type == Type::F64 && all_are_close<u64>(event.data, event.stored, event.bytes, [&](u64 a, u64 b) {
               return are_close(__builtin_bit_cast(double, a), __builtin_bit_cast(double, b), 0x1p-52, 0);
             });
    case 4:
      return ((memory.type == Type::F32 || is_untyped) && are_close_floats(event, terms)) ||
             (is_untyped && are_close_pairs(event, half_terms));
    case 2:
      return is_untyped && are_close_halves(event, half_terms);
    default:
      return false;
  }
}

// Whoever of a block stores there by the same instruction, at the same time: the last of them may store what another
// left, and not race with it.
u64 key_of_store(const AccessEvent& event, u64 granule) {
  const Block& block = *event.context.block;
  return mix(block.number << 32 | event.step_index) ^ mix(u64(block.time) << 32 | (granule + 1));
}

// Races of global memory are reported in the window of the whole tensor, whichever region of it an access is for.
u32 window_of(const AccessEvent& event) {
  return event.space == MemorySpace::Shared ? event.window_number
                                            : event.context.block->launch->memory.whole(event.window_number);
}

}  // namespace

void RaceJudge::note(const AccessEvent& event, const order::Footprint& now, const order::Footprint& earlier, u32 lane,
                     u64 granule, Severity severity) {
  if (follows_) return;
  Conflict it{event.space == MemorySpace::Shared, window_of(event), now.step, earlier.step, now.step, Kind::Write};
  it.with_atomic = now.is_strong() || earlier.is_strong();
  it.severity = severity;
  if (!now.writes() || !earlier.writes()) {
    const bool changes = it.is_shared || (now.writes() ? now.changes : earlier.changes);
    const bool is_one_change = make_one_change(*event.context.block->launch->code, it.step, it.other_step);
    it.kind = is_one_change ? Kind::Repeated : changes ? Kind::Read : Kind::Unchanged;
    it.followed_step = now.writes() ? earlier.step : now.step;
    it.loses_update =
        it.kind == Kind::Read && !it.with_atomic &&
        are_of_update(*event.context.block->launch->code, it.followed_step, now.writes() ? now.step : earlier.step);
    const order::Footprint& by = now.writes() ? earlier : now;
    const u32 thread = now.writes() ? earlier.warp * lanes_per_warp + lane : event.thread();
    const bool is_of_phase = it.is_shared && !event.is_asynchronous;
    const auto key = [&](u32 phase) { return key_of(by.block, thread, by.step, phase, granule); };
    if (noted_[it.followed_step] < most_reads) {
      const order::Footprint& other = now.writes() ? now : earlier;
      const u32 other_thread = now.writes() ? event.thread() : earlier.warp * lanes_per_warp + lane;
      const RacedRead read{severity, other.step, other_thread, other.block, !now.writes()};
      const auto [known, is_new] = reads_.emplace(key(is_of_phase ? by.phase : every_phase), read);
      if (severity < known->second.severity) known->second = read;
      noted_[it.followed_step] += is_new;
      reads_.emplace(key(another_phase), RacedRead{.step = read.step, .thread = read.thread, .block = read.block});
    }
  } else if (now.step == earlier.step && now.block == earlier.block && !now.updates &&
             differ_by_rounding(event, terms_of(now).numbers, terms_of(now).halves)) {
    // Copies of a value are kept in the lanes of other warps as well: one instruction, with no barrier between.
    it.kind = Kind::Rounding;
  } else if (it.is_shared && !it.with_atomic && !event.is_asynchronous) {
    it.kind = Kind::Chance;
    chances_.insert(key_of_store(event, granule));
  }
  conflicts_.insert(it);
}

bool RaceJudge::make_one_change(const Code& code, u32 step, u32 other_step) {
  if (!changes_) changes_ = ptx::repeatable_changes(*code.module, code.function, code.flow);
  const auto one = changes_->find(code.steps[step].instruction);
  const auto other = changes_->find(code.steps[other_step].instruction);
  return one != changes_->end() && other != changes_->end() && one->second == other->second;
}

bool RaceJudge::are_of_update(const Code& code, u32 load, u32 store) {
  const auto [known, is_new] = updates_.try_emplace(store);
  if (is_new && code.steps[store].kind == StepKind::Store)
    known->second = ptx::load_of_update(*code.module, code.function, code.flow, code.steps[store].instruction);
  return known->second == code.steps[load].instruction;
}

void RaceJudge::note_swap(const AccessEvent& event, const Occurrence* read) {
  const bool is_shared = event.space == MemorySpace::Shared;
  if (!read || is_shared != (read->rule == Rule::SharedRace) || read->window != window_of(event)) return;
  if (read->offset == event.offset && read->bytes == event.bytes) guesses_.emplace(is_shared, read->window, read->step);
}

void RaceJudge::note_shuffle(const Context& context, u32 warp, const u32* values) {
  Terms terms;
  for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
    const u32 word = values[__builtin_ctz(bits)];
    const float number = __builtin_bit_cast(float, word);
    if (std::isnormal(number)) terms.numbers = std::max(terms.numbers, std::abs(double(number)));
    const float half = is_half(word) ? f16_to_f32(u16(word)) : 0;
    if (std::isnormal(half)) terms.halves = std::max(terms.halves, std::abs(double(half)));
  }
  auto& ring = shuffled_[context.block->number << 5 | (context.first_thread / lanes_per_warp + warp)];
  std::rotate(ring.begin(), ring.end() - 1, ring.end());
  ring[0] = terms;
}

RaceJudge::Terms RaceJudge::terms_of(const order::Footprint& now) const {
  Terms largest;
  const auto at = shuffled_.find(now.block << 5 | now.warp);
  if (at == shuffled_.end()) return largest;
  for (const Terms& one : at->second) {
    largest.numbers = std::max(largest.numbers, one.numbers);
    largest.halves = std::max(largest.halves, one.halves);
  }
  return largest;
}

u64 RaceJudge::raced_bytes(AccessEvent& event, u32& source) const {
  source = UnwrittenReads::none;
  const bool is_shared = event.space == MemorySpace::Shared;
  const bool is_load = event.kind == AccessKind::Load;
  if (!follows_ || !(is_load ? is_shared || event.window : is_shared && !chances_.empty())) return 0;
  Block& block = *event.context.block;
  const LaunchState& launch = *block.launch;
  const u32 granule =
      is_shared ? block.order->shared.granule_bytes() : launch.order->global(window_of(event)).granule_bytes();
  const RacedRead by_chance{Severity::Error};
  const auto race_at = [&](u64 at) -> const RacedRead* {
    if (!is_load) return chances_.contains(key_of_store(event, at)) ? &by_chance : nullptr;
    const RacedRead* worst = nullptr;
    for (const u32 phase : {every_phase, block.full_time, another_phase}) {
      const auto read = reads_.find(key_of(block.number, event.thread(), event.step_index, phase, at));
      if (read != reads_.end() && (!worst || read->second.severity < worst->severity)) worst = &read->second;
    }
    return worst;
  };
  u64 bytes = 0;
  const RacedRead *worst = nullptr, *here = nullptr;
  for (u32 byte = 0; byte < event.bytes; ++byte) {
    const u64 at = u64(event.offset) + byte;
    if (byte == 0 || at % granule == 0) here = race_at(at / granule);
    if (!here) continue;
    if (!worst || here->severity < worst->severity) worst = here;
    bytes |= u64(1) << byte;
  }
  if (bytes == 0) return 0;
  if (!event.raced) {
    Occurrence read = event.occurrence(is_shared ? Rule::SharedRace : Rule::GlobalRace);
    read.window = window_of(event);
    read.severity = worst->severity;
    read.other_step = worst->step;
    read.other_thread = worst->thread;
    read.other_block = worst->block;
    read.of_read = worst->is_later;  // for narrow(), which looks at no more of it
    event.raced = block.unwritten.add(read);
  }
  source = event.raced;
  return bytes;
}

bool RaceJudge::all_are_writes(const Collector& found) const {
  std::set<AccessSite> written;
  for (const Conflict& it : conflicts_) {
    if (it.kind != Kind::Write) continue;
    written.emplace(it.is_shared, it.window, it.step);
    written.emplace(it.is_shared, it.window, it.other_step);
  }
  return std::all_of(found.found().begin(), found.found().end(), [&](const auto& entry) {
    const Occurrence& it = entry.second.example;
    return !is_race(it) || written.contains({it.rule == Rule::SharedRace, it.window, it.step});
  });
}

void RaceJudge::decide(const Collector* found) {
  for (const Conflict& it : conflicts_) {
    if (!found) used_[{it.is_shared, it.window, it.followed_step}].example.severity = Severity::Error;
  }
  if (found) {
    for (const auto& [key, collected] : found->found()) {
      if (is_race(collected.example)) used_[site_of(collected.example)] = collected;
    }
  }
  for (const Conflict& it : conflicts_) {
    const RaceVerdict verdict = verdict_on(it);
    for (const u32 step : {it.step, it.other_step}) {
      const auto [known, is_new] = verdicts_.try_emplace({it.is_shared, it.window, step}, verdict);
      if (verdict < known->second) known->second = verdict;
    }
  }
}

RaceVerdict RaceJudge::verdict_on(const Conflict& it) const {
  if (it.kind == Kind::Rounding) return RaceVerdict::Rounding;
  const RaceVerdict as_found = it.severity == Severity::Error ? RaceVerdict::Matters : RaceVerdict::InOneWarp;
  if (it.kind == Kind::Write) return as_found;
  const AccessSite followed{it.is_shared, it.window, it.followed_step};
  const auto used = used_.find(followed);
  if (used == used_.end() || (it.with_atomic && guesses_.contains(followed))) return RaceVerdict::Idle;
  if (it.kind == Kind::Unchanged) return RaceVerdict::Unchanged;
  if (it.kind == Kind::Repeated) return RaceVerdict::Repeated;
  const Severity severity = used->second.example.severity;
  if (it.loses_update && severity != Severity::Note) return RaceVerdict::LosesUpdate;
  if (severity == Severity::Note) return it.kind == Kind::Read ? RaceVerdict::UsedElsewhere : RaceVerdict::Idle;
  return severity == Severity::Error ? as_found : RaceVerdict::InOneWarp;
}

RaceVerdict RaceJudge::of(const Occurrence& race) const {
  const auto known = verdicts_.find(site_of(race));
  return known == verdicts_.end() ? RaceVerdict::Unknown : known->second;
}

void RaceJudge::narrow(Collector& found, bool is_ordered, bool is_part) const {
  found.for_each([&](Collected& race) {
    Occurrence it = race.example;
    if (it.rule != Rule::GlobalRace || !it.of_read || of(it) > RaceVerdict::InOneWarp) return;
    const bool is_the_read = used_.contains(site_of(it));
    const auto at = used_.find({false, it.window, is_the_read ? it.step : it.other_step});
    if (at == used_.end()) return;
    const Collected& used = at->second;
    const Occurrence& read = used.example;
    const bool shows_one = is_the_read ? used.threads.has(it.block, it.thread)
                                       : used.threads.has(it.other_block, it.other_thread) ||
                                             read.other_step != it.step;  // another store's
    const bool is_other_way = is_ordered && read.of_read != is_the_read;  // which of the two came first
    if (shows_one || is_other_way || read.other_step == no_value) return;
    it.thread = read.thread;
    it.block = read.block;
    it.other_step = read.other_step;
    it.other_thread = read.other_thread;
    it.other_block = read.other_block;
    it.offset = read.offset;
    it.bytes = read.bytes;
    if (!is_the_read) {
      it.other_step = read.step;
      std::swap(it.thread, it.other_thread);
      std::swap(it.block, it.other_block);
    }
    const auto noted = noted_.find(read.step);
    race = used;
    race.example = std::move(it);
    race.at_least |= is_part || (noted != noted_.end() && noted->second >= most_reads);
  });
}

}  // namespace ropewalk::machine
