#include "lib/families/attention/cache_flaws.h"

#include <algorithm>

#include "lib/generate/parts_of.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {

using generate::Flaw;
using generate::flaw_of;

namespace {

using Attention = AttentionProblem;

bool has_sizes(const Attention& p) { return p.batch > 0 && p.key_tokens > 0; }

// Whether the table has as many entries for each sequence; of others nothing is asked.
bool has_table(const Attention& p) {
  return has_sizes(p) && p.page_size > 0 && !p.block_table.empty() && i64(p.block_table.size()) % p.batch == 0;
}

// Whether some entry of the table that a sequence has keys for is one of `wrong`.
bool any_entry(const Attention& p, bool (*wrong)(i64 page, i64 pool)) {
  if (!has_table(p)) return false;
  const i64 columns = table_columns(p), pool = pages_in_pool(p);
  for (i64 n = 0; n < i64(p.block_table.size()); ++n) {
    if (n % columns < pages_of(p, n / columns) && wrong(p.block_table[u64(n)], pool)) return true;
  }
  return false;
}

// Lists the drawn table, so that an entry of it can be broken; false where no sequence has a page.
bool list_table(Attention& p, i64* entry) {
  if (p.page_size <= 0 || !has_sizes(p)) return false;
  p.block_table = block_table_of(p);
  const i64 columns = table_columns(p);
  for (i64 sequence = 0; sequence < p.batch; ++sequence) {
    const i64 pages = pages_of(p, sequence);
    if (pages <= 0) continue;
    *entry = sequence * columns + pages - 1;
    return true;
  }
  return false;
}

void add_of_lengths(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Attention>(
      "key_lengths of more sequences than there are",
      [](Attention& p, Random&) {
        p.key_lengths.assign(u64(p.batch) + 1, 1);
        return true;
      },
      [](const Attention& p) { return !p.key_lengths.empty() && i64(p.key_lengths.size()) != p.batch; }));
  flaws.push_back(flaw_of<Attention>(
      "a sequence with more keys than there is room for",
      [](Attention& p, Random& random) {
        p.key_lengths.assign(u64(p.batch), p.key_tokens);
        p.key_lengths.back() += random.between(1, 20);
        // A table has pages for the keys that there is room for, and without one they run on behind the cache.
        p.block_table.clear();
        if (random.below(2)) p.page_size = p.spare_pages = 0;
        return true;
      },
      [](const Attention& p) {
        return std::any_of(p.key_lengths.begin(), p.key_lengths.end(), [&](i64 keys) { return keys > p.key_tokens; });
      }));
  flaws.push_back(flaw_of<Attention>(
      "a negative key length",
      [](Attention& p, Random& random) {
        p.key_lengths.assign(u64(p.batch), p.key_tokens);
        p.key_lengths[random.below(p.key_lengths.size())] = -random.between(1, 3);
        return true;
      },
      [](const Attention& p) {
        return std::any_of(p.key_lengths.begin(), p.key_lengths.end(), [](i64 keys) { return keys < 0; });
      }));
}

void add_of_pages(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Attention>(
      "a negative page_size",
      [](Attention& p, Random& random) {
        p.page_size = -random.between(1, 16);
        return true;
      },
      [](const Attention& p) { return p.page_size < 0; }));
  flaws.push_back(flaw_of<Attention>(
      "a negative number of spare pages",
      [](Attention& p, Random&) {
        p.spare_pages = -1;
        return true;
      },
      [](const Attention& p) { return p.spare_pages < 0; }));
  flaws.push_back(flaw_of<Attention>(
      "a block table without pages",
      [](Attention& p, Random&) {
        p.page_size = p.spare_pages = 0;
        p.block_table.assign(u64(p.batch), 0);
        return true;
      },
      [](const Attention& p) { return p.page_size == 0 && !p.block_table.empty(); }));
}

void add_of_tables(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Attention>(
      "a block table that is no table",
      [](Attention& p, Random&) {
        if (p.page_size <= 0 || p.batch < 2) return false;
        p.block_table = block_table_of(p);
        p.block_table.push_back(0);
        return true;
      },
      [](const Attention& p) { return p.page_size > 0 && p.batch > 0 && i64(p.block_table.size()) % p.batch != 0; }));
  flaws.push_back(flaw_of<Attention>(
      "a block table with fewer pages than a sequence has",
      [](Attention& p, Random&) {
        if (p.page_size <= 0 || pages_of_capacity(p) < 2) return false;
        p.key_lengths.clear();
        const i64 columns = pages_of_capacity(p) - 1;
        p.block_table.clear();
        for (i64 n = 0; n < p.batch * columns; ++n) p.block_table.push_back(n);
        return true;
      },
      [](const Attention& p) {
        if (!has_table(p)) return false;
        for (i64 n = 0; n < p.batch; ++n) {
          if (pages_of(p, n) > table_columns(p)) return true;
        }
        return false;
      }));
  flaws.push_back(flaw_of<Attention>(
      "a page past the last",
      [](Attention& p, Random& random) {
        i64 entry = 0;
        if (!list_table(p, &entry)) return false;
        p.block_table[u64(entry)] = pages_in_pool(p) + random.between(0, 3);
        return true;
      },
      [](const Attention& p) { return any_entry(p, [](i64 page, i64 pool) { return page >= pool; }); }));
  flaws.push_back(flaw_of<Attention>(
      "a page below 0",
      [](Attention& p, Random&) {
        i64 entry = 0;
        if (!list_table(p, &entry)) return false;
        p.block_table[u64(entry)] = -1;
        return true;
      },
      [](const Attention& p) { return any_entry(p, [](i64 page, i64) { return page < 0; }); }));
}

}  // namespace

std::vector<Flaw> cache_flaws() {
  std::vector<Flaw> flaws;
  add_of_lengths(flaws);
  add_of_pages(flaws);
  flaws.push_back(flaw_of<Attention>(
      "splits below 1",
      [](Attention& p, Random& random) {
        p.splits = -random.between(0, 2);
        return true;
      },
      [](const Attention& p) { return p.splits < 1; }));
  flaws.push_back(flaw_of<Attention>(
      "more than 128 splits",
      [](Attention& p, Random& random) {
        p.splits = 128 + random.between(1, 100);
        return true;
      },
      [](const Attention& p) { return p.splits > 128; }));
  return flaws;
}

std::vector<Flaw> table_flaws() {
  std::vector<Flaw> flaws;
  add_of_tables(flaws);
  return flaws;
}

}  // namespace ropewalk::attention
