#include "lib/init/separate.h"

#include <algorithm>

namespace ropewalk::init {
namespace {

// A bit an order: whether a predicate holds in it.
using Bits = std::vector<u64>;

Bits both(const Bits& a, const Bits& b) {
  Bits result(a.size());
  for (size_t n = 0; n < a.size(); ++n) result[n] = a[n] & b[n];
  return result;
}

Bits either(const Bits& a, const Bits& b) {
  Bits result(a.size());
  for (size_t n = 0; n < a.size(); ++n) result[n] = a[n] | b[n];
  return result;
}

bool within(const Bits& inner, const Bits& outer) {
  for (size_t n = 0; n < inner.size(); ++n) {
    if (inner[n] & ~outer[n]) return false;
  }
  return true;
}

struct Candidate {
  std::vector<Precedence> what;
  Bits holds;
};

// Every precedence that is not the same in all orders.
std::vector<Candidate> precedences(const std::vector<Judged>& orders, const std::function<bool(u8, u8)>& meaningful) {
  std::vector<Candidate> list;
  const size_t steps = orders.front().position.size(), words = (orders.size() + 63) / 64;
  for (size_t a = 0; a < steps; ++a) {
    for (size_t b = 0; b < steps; ++b) {
      if (a == b || !meaningful(u8(a), u8(b))) continue;
      Candidate candidate{{{u8(a), u8(b)}}, Bits(words)};
      size_t count = 0;
      for (size_t n = 0; n < orders.size(); ++n) {
        if (orders[n].position[a] > orders[n].position[b]) continue;
        candidate.holds[n / 64] |= u64(1) << n % 64;
        ++count;
      }
      if (count > 0 && count < orders.size()) list.push_back(std::move(candidate));
    }
  }
  return list;
}

Candidate joined(const Candidate& a, const Candidate& b) {
  Candidate result = a;
  result.what.insert(result.what.end(), b.what.begin(), b.what.end());
  result.holds = both(a.holds, b.holds);
  return result;
}

}  // namespace

std::optional<SeparatingRule> separating_rule(const std::vector<Judged>& orders,
                                              const std::function<bool(u8, u8)>& meaningful) {
  if (orders.empty()) return std::nullopt;
  Bits bad((orders.size() + 63) / 64);
  u64 count = 0;
  for (size_t n = 0; n < orders.size(); ++n) {
    if (!orders[n].bad) continue;
    bad[n / 64] |= u64(1) << n % 64;
    ++count;
  }
  if (count == 0) return SeparatingRule{};
  if (count == orders.size()) return SeparatingRule{{{}}};
  const std::vector<Candidate> singles = precedences(orders, meaningful);
  for (const Candidate& one : singles) {
    if (one.holds == bad) return SeparatingRule{{one.what}};
  }
  // A conjunction can only fit if each of its parts holds in every bad order.
  std::vector<Candidate> wide;
  for (const Candidate& one : singles) {
    if (within(bad, one.holds)) wide.push_back(one);
  }
  std::vector<Candidate> pairs;
  constexpr size_t most_pairs = 4000;
  for (size_t a = 0; a < wide.size(); ++a) {
    for (size_t b = a + 1; b < wide.size() && pairs.size() < most_pairs; ++b) pairs.push_back(joined(wide[a], wide[b]));
  }
  for (const Candidate& pair : pairs) {
    if (pair.holds == bad) return SeparatingRule{{pair.what}};
  }
  // An alternative may hold in bad orders alone.
  std::vector<Candidate> parts;
  const auto keep = [&](Candidate candidate) {
    const bool some = std::any_of(candidate.holds.begin(), candidate.holds.end(), [](u64 word) { return word != 0; });
    if (some && within(candidate.holds, bad)) parts.push_back(std::move(candidate));
  };
  for (const Candidate& one : singles) keep(one);
  const auto fitting = [&]() -> std::optional<SeparatingRule> {
    for (size_t a = 0; a < parts.size(); ++a) {
      for (size_t b = a + 1; b < parts.size(); ++b) {
        if (either(parts[a].holds, parts[b].holds) == bad) return SeparatingRule{{parts[a].what, parts[b].what}};
      }
    }
    return std::nullopt;
  };
  if (std::optional<SeparatingRule> rule = fitting()) return rule;
  for (const Candidate& pair : pairs) {
    for (const Candidate& one : wide) {
      if (both(pair.holds, one.holds) == bad) return SeparatingRule{{joined(pair, one).what}};
    }
  }
  constexpr size_t most_parts = 3000;
  for (size_t a = 0; a < singles.size(); ++a) {
    for (size_t b = a + 1; b < singles.size() && parts.size() < most_parts; ++b) keep(joined(singles[a], singles[b]));
  }
  return fitting();
}

}  // namespace ropewalk::init
