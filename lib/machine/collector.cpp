#include "lib/machine/collector.h"

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_offsets = 4096;   // for a picture
constexpr std::size_t most_threads = 1 << 20;
constexpr std::size_t most_lines = 10000;

bool comes_before(const Occurrence& a, const Occurrence& b) {
  // What is said of outputs is said of their first element, whoever computed it.
  if (a.rule == Rule::NonfiniteOrigin) return a.offset < b.offset;
  return std::tie(a.block, a.thread, a.offset) < std::tie(b.block, b.thread, b.offset);
}

}  // namespace

void Collector::report(const Occurrence& occurrence) {
  auto [at, inserted] =
      found_.try_emplace(Key{occurrence.rule, occurrence.step, occurrence.window, occurrence.name});
  Collected& collected = at->second;
  if (inserted || comes_before(occurrence, collected.example)) {
    const Severity severity = inserted ? occurrence.severity : std::min(occurrence.severity, collected.example.severity);
    collected.example = occurrence;
    collected.example.severity = severity;
  }
  collected.example.severity = std::min(collected.example.severity, occurrence.severity);
  collected.accesses += occurrence.count;
  if (collected.threads.size() < most_threads) collected.threads.insert(occurrence.block * 2048 + occurrence.thread);
  collected.blocks.insert(occurrence.block);
  if (!occurrence.has_access) return;
  if (collected.offsets.size() < most_offsets) collected.offsets.insert(occurrence.offset);
  else if (!collected.offsets.contains(occurrence.offset)) collected.all_offsets = false;
}

void Collector::print(u64 block, std::string line) {
  if (printed_.size() < most_lines) printed_.emplace(block, std::move(line));
}

void Collector::merge(Collector&& other) {
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
    ours.threads.merge(theirs.threads);
    ours.blocks.merge(theirs.blocks);
    ours.offsets.merge(theirs.offsets);
    ours.all_offsets &= theirs.all_offsets;
    while (ours.offsets.size() > most_offsets) {
      ours.offsets.erase(std::prev(ours.offsets.end()));
      ours.all_offsets = false;
    }
  }
  for (auto& [block, line] : other.printed_) print(block, std::move(line));
}

bool Collector::has(Rule rule) const {
  const auto first = found_.lower_bound(Key{rule, 0, 0, {}});
  return first != found_.end() && std::get<Rule>(first->first) == rule;
}

std::vector<std::string> Collector::printed() const {
  std::vector<std::string> lines;
  for (const auto& [block, line] : printed_) lines.push_back(line);
  return lines;
}

}  // namespace ropewalk::machine
