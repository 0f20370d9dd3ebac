#include "lib/generate/covering.h"

#include <algorithm>
#include <numeric>

namespace ropewalk::generate {

Tuples::Tuples(std::vector<u32> sizes, u32 strength) : sizes_(std::move(sizes)), strength_(strength) {
  if (sizes_.size() < strength_) return;
  std::vector<u32> chosen(strength_);
  std::iota(chosen.begin(), chosen.end(), 0u);
  while (true) {
    Set set{chosen, count_};
    u64 tuples = 1;
    for (const u32 parameter : chosen) tuples *= sizes_[parameter];
    count_ += tuples;
    sets_.push_back(std::move(set));
    // The next set in lexicographic order: the last parameter that can still move up moves.
    u32 n = strength_;
    while (n > 0 && chosen[n - 1] == sizes_.size() - strength_ + n - 1) --n;
    if (n == 0) return;
    ++chosen[n - 1];
    for (u32 rest = n; rest < strength_; ++rest) chosen[rest] = chosen[rest - 1] + 1;
  }
}

std::vector<Choice> covering_array(const std::vector<u32>& sizes, u32 strength, Random random,
                                   const std::vector<Choice>& given) {
  const Tuples tuples(sizes, strength);
  std::vector<bool> covered(tuples.count());
  const auto cover = [&](const Choice& choice) { tuples.each(choice, [&](u64 tuple) { covered[tuple] = true; }); };
  for (const Choice& choice : given) cover(choice);

  // By parameter the sets that it belongs to.
  std::vector<std::vector<const Tuples::Set*>> sets_of(sizes.size());
  for (const Tuples::Set& set : tuples.sets_) {
    for (const u32 parameter : set.parameters) sets_of[parameter].push_back(&set);
  }
  constexpr u32 open = ~u32(0) - 1;
  // How many missing tuples each of a parameter's values would cover, together with the values that are chosen already.
  std::vector<u64> gains;
  const auto find_gains = [&](const Choice& row, u32 parameter) {
    gains.assign(sizes[parameter], 0);
    for (const Tuples::Set* set : sets_of[parameter]) {
      // The tuple's number with value 0, and what each further value adds to it.
      u64 number = 0, step = 0;
      bool complete = true;
      for (const u32 other : set->parameters) {
        const bool is_it = other == parameter;
        complete = complete && (is_it || row[other] != open);
        number = number * sizes[other] + (is_it ? 0 : row[other]);
        step = is_it ? 1 : step * sizes[other];
      }
      if (!complete) continue;
      for (u32 value = 0; value < sizes[parameter]; ++value)
        gains[value] += !covered[set->first + number + value * step];
    }
  };

  std::vector<Choice> rows;
  u64 first_missing = 0;
  for (u64 set_number = 0;;) {
    while (first_missing < covered.size() && covered[first_missing]) ++first_missing;
    if (first_missing == covered.size()) return rows;
    while (set_number + 1 < tuples.sets_.size() && tuples.sets_[set_number + 1].first <= first_missing) ++set_number;
    const Tuples::Set& seed = tuples.sets_[set_number];
    Choice row(sizes.size(), open);
    u64 number = first_missing - seed.first;
    for (u64 n = seed.parameters.size(); n-- > 0;) {
      row[seed.parameters[n]] = u32(number % sizes[seed.parameters[n]]);
      number /= sizes[seed.parameters[n]];
    }
    std::vector<u32> order;
    for (u32 parameter = 0; parameter < sizes.size(); ++parameter) {
      if (row[parameter] == open) order.push_back(parameter);
    }
    for (u64 n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
    for (const u32 parameter : order) {
      find_gains(row, parameter);
      const u32 start = u32(random.below(sizes[parameter]));  // among equal gains any value may win
      u32 best = start;
      u64 best_gain = 0;
      for (u32 step = 0; step < sizes[parameter]; ++step) {
        const u32 value = (start + step) % sizes[parameter];
        if (gains[value] > best_gain) best = value, best_gain = gains[value];
      }
      row[parameter] = best;
    }
    cover(row);
    rows.push_back(std::move(row));
  }
}

}  // namespace ropewalk::generate
