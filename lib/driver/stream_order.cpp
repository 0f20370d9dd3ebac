#include "lib/driver/stream_order.h"

#include <algorithm>
#include <utility>

namespace ropewalk::driver {

namespace {

// Of an allocation so many operations are remembered that nobody has waited for, and so many races are reported at
// once.
constexpr std::size_t most_records = 512, most_races = 4;

using Part = ByteSet AccessedBytes::*;
constexpr Part parts[] = {&AccessedBytes::read, &AccessedBytes::strong_read, &AccessedBytes::written,
                          &AccessedBytes::strong_written};

bool is_write(Part part) { return part == &AccessedBytes::written || part == &AccessedBytes::strong_written; }
// Whether the host may see a signal there while the operation runs.
bool is_signal_to_host(const Touched& touched) {
  const MemoryKind kind = touched.allocation->kind;
  return (kind == MemoryKind::Managed || kind == MemoryKind::Host) && !touched.all.strong_written.empty();
}

bool is_strong(Part part) { return part == &AccessedBytes::strong_read || part == &AccessedBytes::strong_written; }

// Whether whoever races with the one races with the other as well.
bool stands_for(const AccessedBytes& now, const AccessedBytes& earlier) {
  return std::ranges::all_of(parts, [&](Part part) {
    return (now.*part).has_all(earlier.*part) || (part == &AccessedBytes::read && now.written.has_all(earlier.read));
  });
}

}  // namespace

void StreamOrder::add_stream(bool is_blocking) {
  blocking_ += is_blocking;
  // The default stream and one that waits for it are one order.
  branches_ |= !is_blocking || blocking_ > 1;
}

void StreamOrder::begin(Line* line, const AddedBy* node) {
  line_ = line;
  node_ = node;
  operation_ = nullptr;
  if (!line) return;
  if (!line->number) line->number = ++lines_;
  line->clock.set({line->number, ++line->count});
}

void StreamOrder::touch(std::vector<Touched> all, const std::function<void(Operation&)>& describe,
                        const Reporter& report) {
  if (!is_asking()) return;
  if (!operation_) {
    operation_ = std::make_shared<Operation>();
    operation_->line = line_->name;
    operation_->at = {line_->number, line_->count};
    describe(*operation_);
    find_unfinished();
    if (node_) {
      operation_->added_at = node_->at;
      if (operation_->entry.empty()) operation_->name = node_->call;
    }
  }
  if (operation_->synchronises) std::ranges::for_each(all, [&](const Touched& one) { learn(one); });
  operation_->before = line_->clock;
  std::vector<StreamRace> races;
  for (const Touched& one : all) compare(one, races);
  std::ranges::for_each(races, report);
  const bool tells_host = operation_->synchronises && std::ranges::any_of(all, is_signal_to_host);
  for (Touched& one : all) keep(std::move(one));
  if (tells_host) done(line_->clock);  // what is given from now on may have waited for that
}

// The last kernel of its stream has not ended where it lets this one begin. Nor have those that it began before itself,
// where it does so before it waits for them.
void StreamOrder::find_unfinished() {
  const std::shared_ptr<const Operation> last = std::exchange(line_->touched, operation_);
  const bool overlaps =
      operation_->may_overlap && last && last->grid.triggers && last->at == Moment{line_->number, line_->count - 1};
  if (!overlaps) return;
  operation_->unfinished = {last->at};
  if (last->grid.triggers_early)
    operation_->unfinished.insert(operation_->unfinished.end(), last->unfinished.begin(), last->unfinished.end());
}

// A kernel that meets another one at words that both access strongly may have waited for it there: with fences on both
// sides that is an order, too.
void StreamOrder::learn(const Touched& touched) {
  for (const Record& record : pending_[touched.allocation->number]) {
    const AccessedBytes& theirs = record.touched.all;
    if (!record.by->synchronises) continue;
    // A word that is also stored to plainly, such as a counter that is reset, signals nothing to anybody.
    const auto is_signal = [&](u64 first, u64 last) { return !theirs.written.has_all(ByteSet(first, last)); };
    const auto signals_to = [&](const ByteSet& mine) {
      const std::optional<ByteRange> both = theirs.strong_written.overlap(mine);
      return both && mine.any_range(both->first, both->last, [&](u64 first, u64 last) {
        return theirs.strong_written.any_range(first, last, is_signal);
      });
    };
    if (signals_to(touched.all.strong_read) || signals_to(touched.all.strong_written))
      line_->clock.join(record.by->before);
  }
}

const AccessedBytes* StreamOrder::unordered(const Touched& touched, const Operation& earlier) const {
  const auto is_earlier = [&](Moment at) { return at == earlier.at; };
  if (std::ranges::any_of(operation_->unfinished, is_earlier))
    return operation_->grid.waits ? &touched.early : &touched.all;
  return line_->clock.has(earlier.at) ? nullptr : &touched.all;
}

void StreamOrder::compare(const Touched& touched, std::vector<StreamRace>& races) const {
  const auto known = pending_.find(touched.allocation->number);
  if (known == pending_.end()) return;
  std::size_t met = 0;
  for (const Record& record : known->second) {
    const AccessedBytes* const mine = unordered(touched, *record.by);
    if (!mine || met == most_races) continue;
    std::optional<StreamRace> found;
    for (const Part theirs : parts) {
      for (const Part ours : parts) {
        if (!(is_write(theirs) || is_write(ours)) || (is_strong(theirs) && is_strong(ours))) continue;
        const std::optional<ByteRange> bytes = (record.touched.all.*theirs).overlap(mine->*ours);
        if (!bytes) continue;
        if (!found) found.emplace(StreamRace{*record.by, *operation_, false, false, *touched.allocation, *bytes});
        found->earlier_writes |= is_write(theirs);
        found->later_writes |= is_write(ours);
        found->bytes = {std::min(found->bytes.first, bytes->first), std::max(found->bytes.last, bytes->last)};
      }
    }
    if (!found) continue;
    ++met;
    const auto same =
        std::ranges::find_if(races, [&](const StreamRace& race) { return &race.earlier == record.by.get(); });
    if (same == races.end())
      races.push_back(*found);
    else if (&same->allocation != touched.allocation)
      same->others.emplace_back(touched.allocation, found->bytes);
  }
}

void StreamOrder::keep(Touched touched) {
  std::vector<Record>& records = pending_[touched.allocation->number];
  std::erase_if(records, [&](const Record& record) {
    return line_->clock.has(record.by->at) && stands_for(touched.all, record.touched.all);
  });
  if (records.size() == most_records) records.erase(records.begin());
  records.push_back({operation_, std::move(touched)});
}

void StreamOrder::done(const Clock& clock, bool is_kept) {
  if (is_kept) return host_.join(clock);
  for (auto& [number, records] : pending_) {
    std::erase_if(records, [&](const Record& record) { return clock.has(record.by->at) || host_.has(record.by->at); });
  }
  std::erase_if(pending_, [](const auto& one) { return one.second.empty(); });
}

}  // namespace ropewalk::driver
