#include "lib/machine/collector.h"

#include "lib/machine/context.h"

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_lines = 10000;

// Of one thread the occurrence that came first stays the example.
bool comes_before(const Occurrence& a, const Occurrence& b) {
  // What is reported of outputs is reported of their first element, whoever computed it.
  if (a.rule == Rule::NonfiniteOrigin) return a.offset < b.offset;
  return std::tie(a.block, a.thread) < std::tie(b.block, b.thread);
}

}  // namespace

void ThreadSet::add(u64 block, u32 thread) {
  if (block != last_block_ || !last_) {
    last_ = &bits_[block];
    last_block_ = block;
  }
  u64& word = (*last_)[thread / 64 % last_->size()];
  const u64 bit = u64(1) << (thread % 64);
  threads_ += (word & bit) == 0;
  word |= bit;
}

bool ThreadSet::has(u64 block, u32 thread) const {
  const auto at = bits_.find(block);
  return at != bits_.end() && at->second[thread / 64 % at->second.size()] >> (thread % 64) & 1;
}

void ThreadSet::add_lanes(u64 block, u32 first, u32 lanes) {
  if (lanes == 0) return;
  add(block, first + u32(__builtin_ctz(lanes)));
  u64& word = (*last_)[first / 64 % last_->size()];
  const u64 bits = u64(lanes) << (first % 64);
  threads_ += u64(__builtin_popcountll(bits & ~word));
  word |= bits;
}

void ThreadSet::merge(const ThreadSet& other) {
  for (const auto& [block, theirs] : other.bits_) {
    Bits& ours = bits_[block];
    for (u32 n = 0; n < ours.size(); ++n) {
      threads_ += u64(__builtin_popcountll(theirs[n] & ~ours[n]));
      ours[n] |= theirs[n];
    }
  }
  last_ = nullptr;
}

// The same finding is mostly reported many times in a row.
Collected& Collector::collected_for(const Occurrence& occurrence, bool* is_new) {
  *is_new = false;
  if (last_) {
    const auto& [rule, step, window, name] = last_->first;
    if (rule == occurrence.rule && step == occurrence.step && window == occurrence.window && name == occurrence.name) {
      return last_->second;
    }
  }
  const auto [at, inserted] =
      found_.try_emplace(Key{occurrence.rule, occurrence.step, occurrence.window, occurrence.name});
  last_ = &*at;
  *is_new = inserted;
  return at->second;
}

Collected* Collector::count(const Occurrence& occurrence) {
  bool is_new = false;
  Collected& collected = collected_for(occurrence, &is_new);
  const bool is_example = is_new || comes_before(occurrence, collected.example);
  if (is_example) {
    const Severity severity = is_new ? occurrence.severity : std::min(occurrence.severity, collected.example.severity);
    collected.example = occurrence;
    collected.example.severity = severity;
  }
  collected.example.severity = std::min(collected.example.severity, occurrence.severity);
  collected.across_blocks |= is_across_blocks(occurrence);
  collected.accesses += occurrence.count;
  collected.threads.add(occurrence.block, occurrence.thread);
  if (occurrence.has_access) collected.add_offset(occurrence.offset);
  return is_example ? &collected : nullptr;
}

void Collected::add_offset(i64 offset) {
  // Of too many the lowest are kept, in whatever order they come.
  if (!all_offsets && offset > *offsets.rbegin()) return;
  i64& last = known[u64(offset) / 4 % known.size()];
  if (last == offset + 1 && offset != -1) return;
  if (offsets.insert(offset).second && offsets.size() > Collector::most_offsets) {
    offsets.erase(std::prev(offsets.end()));
    all_offsets = false;
  }
  last = offset + 1;
}

void Collector::count_lanes(const Occurrence& first, u32 others, const i64* offsets) {
  bool is_new = false;
  Collected& collected = collected_for(first, &is_new);
  collected.accesses += u64(__builtin_popcount(others));
  collected.threads.add_lanes(first.block, first.thread / lanes_per_warp * lanes_per_warp, others);
  for (u32 bits = others; bits && first.has_access; bits &= bits - 1)
    collected.add_offset(offsets[__builtin_ctz(bits)]);
}

namespace {

using Lines = std::multimap<u64, std::string>;

void add_line(Lines& lines, u64 block, std::string line) {
  if (lines.size() < most_lines) lines.emplace(block, std::move(line));
}

std::vector<std::string> in_block_order(const Lines& lines) {
  std::vector<std::string> out;
  for (const auto& [block, line] : lines) out.push_back(line);
  return out;
}

}  // namespace

void Collector::print(u64 block, std::string line) { add_line(printed_, block, std::move(line)); }
void Collector::complain(u64 block, std::string line) { add_line(complaints_, block, std::move(line)); }
std::vector<std::string> Collector::printed() const { return in_block_order(printed_); }
std::vector<std::string> Collector::complaints() const { return in_block_order(complaints_); }

void Collector::merge(Collector&& other) {
  for (auto& [block, line] : other.printed_) print(block, std::move(line));
  for (auto& [block, line] : other.complaints_) complain(block, std::move(line));
  merge_findings(std::move(other));
}

void Collector::merge_findings(Collector&& other) {
  last_ = nullptr;
  for (auto& [key, theirs] : other.found_) {
    auto [at, inserted] = found_.try_emplace(key);
    Collected& ours = at->second;
    if (inserted) {
      ours = std::move(theirs);
      continue;
    }
    const Severity severity = std::min(ours.example.severity, theirs.example.severity);
    if (comes_before(theirs.example, ours.example)) ours.example = theirs.example;
    ours.example.severity = severity;
    ours.accesses += theirs.accesses;
    ours.at_least |= theirs.at_least;
    ours.across_blocks |= theirs.across_blocks;
    ours.threads.merge(theirs.threads);
    ours.offsets.merge(theirs.offsets);
    ours.all_offsets &= theirs.all_offsets;
    while (ours.offsets.size() > Collector::most_offsets) {
      ours.offsets.erase(std::prev(ours.offsets.end()));
      ours.all_offsets = false;
    }
  }
}

void Collector::merge_new(Collector&& other) {
  last_ = nullptr;
  found_.merge(std::move(other.found_));
}

bool Collector::has(Rule rule) const {
  const auto first = found_.lower_bound(Key{rule, 0, 0, {}});
  return first != found_.end() && std::get<Rule>(first->first) == rule;
}

}  // namespace ropewalk::machine
