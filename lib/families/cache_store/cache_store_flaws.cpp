#include "lib/families/cache_store/cache_store_flaws.h"

#include <algorithm>
#include <set>

#include "lib/families/cache_store/cache_store_problem.h"
#include "lib/generate/parts_of.h"

namespace ropewalk::cache_store {

using generate::Flaw;
using generate::flaw_below;
using generate::flaw_of;

namespace {

using Store = CacheStoreProblem;

bool has_room(const Store& p) {
  constexpr i64 most = i64(1) << 31;  // for the products of what is asked then
  return p.tokens > 0 && p.page_size >= 0 && p.page_size < most && p.slots >= 0 && p.slots < most;
}
i64 slots_of(const Store& p) { return p.pages() * p.tokens_of_page(); }

bool any_twice(const std::vector<i64>& list) {
  std::set<i64> seen;
  return std::ranges::any_of(list, [&](i64 entry) { return entry >= 0 && !seen.insert(entry).second; });
}

std::vector<Flaw> common_flaws() {
  return {flaw_below("H", &Store::heads, 1),
          flaw_below("D", &Store::head_dim, 1),
          flaw_below("page_size", &Store::page_size, 0),
          flaw_below("page_gap", &Store::page_gap, 0),
          flaw_of<Store>(
              "a cache of another dtype",
              [](Store& p, Random& random) {
                p.cache_dtype = random.below(2) ? Dtype::F8E5M2 : p.dtype == Dtype::F16 ? Dtype::BF16 : Dtype::F16;
                return *p.cache_dtype != p.dtype;
              },
              [](const Store& p) { return p.dtype_of_cache() != p.dtype && p.dtype_of_cache() != Dtype::F8E4M3; }),
          flaw_of<Store>(
              "heads first in a cache without pages",
              [](Store& p, Random&) {
                p.page_size = 0;
                p.layout = CacheLayout::Hnd;
                return true;
              },
              [](const Store& p) { return p.page_size == 0 && p.layout == CacheLayout::Hnd; })};
}

void add_of_slots(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Store>(
      "more tokens than slots",
      [](Store& p, Random&) {
        p.slot_mapping.clear();
        p.page_size = 0;
        p.layout = CacheLayout::Nhd;
        p.slots = p.tokens - 1;
        return p.slots > 0;
      },
      [](const Store& p) { return has_room(p) && p.slot_mapping.empty() && p.tokens > slots_of(p); }));
  flaws.push_back(flaw_of<Store>(
      "a slot past the last",
      [](Store& p, Random& random) {
        p.slot_mapping = p.slots_of_tokens();
        p.slots = slots_of(p);
        p.slot_mapping[random.below(p.slot_mapping.size())] = p.slots + random.between(0, 30);
        return true;
      },
      [](const Store& p) {
        return has_room(p) && std::ranges::any_of(p.slot_mapping, [&](i64 slot) { return slot >= slots_of(p); });
      }));
  flaws.push_back(flaw_of<Store>(
      "a slot below -1",
      [](Store& p, Random& random) {
        p.slot_mapping = p.slots_of_tokens();
        p.slot_mapping[random.below(p.slot_mapping.size())] = -random.between(2, 20);
        return true;
      },
      [](const Store& p) { return std::ranges::any_of(p.slot_mapping, [](i64 slot) { return slot < -1; }); }));
  flaws.push_back(flaw_of<Store>(
      "two tokens of one slot",
      [](Store& p, Random& random) {
        if (p.tokens < 2) return false;
        p.slot_mapping = p.slots_of_tokens();
        const u64 first = random.below(p.slot_mapping.size() - 1);
        p.slot_mapping[first] = std::max<i64>(0, p.slot_mapping[first]);
        p.slot_mapping[first + 1] = p.slot_mapping[first];
        return true;
      },
      [](const Store& p) { return any_twice(p.slot_mapping); }));
  flaws.push_back(flaw_of<Store>(
      "slots of more tokens, or of fewer, than there are",
      [](Store& p, Random& random) {
        p.slot_mapping = p.slots_of_tokens();
        p.slots = slots_of(p);
        if (random.below(2) && p.tokens > 1) {
          p.slot_mapping.pop_back();
        } else {
          p.slot_mapping.push_back(-1);
        }
        return true;
      },
      [](const Store& p) { return !p.slot_mapping.empty() && i64(p.slot_mapping.size()) != p.tokens; }));
}

}  // namespace

std::vector<Flaw> append_flaws() {
  std::vector<Flaw> flaws = common_flaws();
  const std::pair<const char*, i64 Store::*> least_zero[] = {{"query_heads", &Store::query_heads},
                                                             {"token_gap", &Store::token_gap},
                                                             {"padding", &Store::padding},
                                                             {"slots", &Store::slots}};
  for (const auto& [name, field] : least_zero) flaws.push_back(flaw_below(name, field, 0));
  flaws.push_back(flaw_below("T", &Store::tokens, 1));
  flaws.push_back(flaw_of<Store>(
      "a scale that is no number to divide by",
      [](Store& p, Random& random) {
        p.cache_dtype = Dtype::F8E4M3;
        (random.below(2) ? p.k_scale : p.v_scale) = random.below(2) ? 0 : -1;
        return true;
      },
      [](const Store& p) {
        const auto is_good = [](double scale) { return scale >= 0x1p-20 && scale <= 0x1p20; };
        return !is_good(p.k_scale) || !is_good(p.v_scale);
      }));
  flaws.push_back(flaw_of<Store>(
      "scales of a cache that is not scaled",
      [](Store& p, Random&) {
        p.cache_dtype.reset();
        p.k_scale = 0.5;
        return true;
      },
      [](const Store& p) { return p.dtype_of_cache() == p.dtype && (p.k_scale != 1 || p.v_scale != 1); }));
  add_of_slots(flaws);
  flaws.push_back(flaw_of<Store>(
      "copies where tokens are stored",
      [](Store& p, Random&) {
        p.copies = {0, 1};
        return true;
      },
      [](const Store& p) { return p.is_copy(); }));
  return flaws;
}

std::vector<Flaw> copy_flaws() {
  std::vector<Flaw> flaws = common_flaws();
  flaws.push_back(flaw_of<Store>(
      "no copies",
      [](Store& p, Random&) {
        p.copies.clear();
        p.slots = 0;
        return true;
      },
      [](const Store& p) { return !p.is_copy(); }));
  flaws.push_back(flaw_of<Store>(
      "half a pair",
      [](Store& p, Random&) {
        p.copies.pop_back();
        return p.is_copy();
      },
      [](const Store& p) { return p.copies.size() % 2 != 0; }));
  flaws.push_back(flaw_of<Store>(
      "a page past the last",
      [](Store& p, Random& random) {
        p.slots = slots_of(p);
        p.copies[random.below(p.copies.size())] = p.pages() + random.between(0, 3);
        return true;
      },
      [](const Store& p) {
        return has_room(p) && std::ranges::any_of(p.copies, [&](i64 page) { return page >= p.pages(); });
      }));
  flaws.push_back(flaw_of<Store>(
      "a page below 0",
      [](Store& p, Random& random) {
        p.slots = slots_of(p);
        p.copies[random.below(p.copies.size())] = -1;
        return true;
      },
      [](const Store& p) { return std::ranges::any_of(p.copies, [](i64 page) { return page < 0; }); }));
  flaws.push_back(flaw_of<Store>(
      "a page that is copied and written",
      [](Store& p, Random& random) {
        const u64 pair = 2 * random.below(p.copies.size() / 2);
        p.slots = slots_of(p);
        p.copies.insert(p.copies.end(), {p.copies[pair + 1], p.copies[pair]});
        return true;
      },
      [](const Store& p) {
        for (u64 to = 1; to < p.copies.size(); to += 2) {
          for (u64 n = 0; n < p.copies.size(); ++n) {
            if (n != to && p.copies[n] == p.copies[to]) return true;
          }
        }
        return false;
      }));
  return flaws;
}

}  // namespace ropewalk::cache_store
