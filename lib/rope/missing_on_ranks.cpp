#include "lib/rope/missing_on_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ropewalk::rope {

namespace {

// By what the tables of a module are called on all ranks: its tables, by rank.
using Modules = std::map<std::string, std::map<size_t, const CacheTable*>>;

bool has_both(const CacheTable& table) { return table.planes.size() == 2 || table.planes[0].holds_both(); }

}  // namespace

std::vector<std::string> notes_on_missing(const std::vector<FileTables>& files, std::vector<Answer::NotJudged>& open) {
  if (files.size() < 2) return {};
  Modules modules;
  std::map<std::string, std::set<size_t>> names;
  for (size_t rank = 0; rank < files.size(); ++rank) {
    for (const CacheTable& table : files[rank].tables) {
      modules[table.module][rank] = &table;
      names[table.module].insert(rank);
    }
    for (const FrequencyTensor& tensor : files[rank].frequencies) names[tensor.tensor].insert(rank);
  }
  for (const auto& [module, tables] : modules) {
    const auto whole = std::ranges::find_if(tables, [](const auto& of_rank) { return has_both(*of_rank.second); });
    for (const auto& [rank, table] : tables) {
      if (whole == tables.end() || has_both(*table)) continue;
      const char* const other = table->planes[0].trig == Trig::Cos ? "sin" : "cos";
      open.push_back(
          {fmt::format("{} on rank {}", whole->second->name, rank),
           fmt::format("rank {} has {} without its {}, rank {} has both", rank, table->name, other, whole->first)});
    }
  }
  // Where no name is common to two ranks, names are a rank's own.
  size_t missing = 0, on_all = 0;
  std::string first;
  for (const auto& [name, ranks] : names) {
    on_all += ranks.size() == files.size();
    if (ranks.size() == files.size()) continue;
    size_t without = 0;
    while (ranks.contains(without)) ++without;
    if (missing++ == 0)
      first = fmt::format("rank {} has no {}, which rank {} has", without,
                          modules.contains(name) ? modules[name].begin()->second->name : name, *ranks.begin());
  }
  if (missing == 0 || on_all == 0) return {};
  return {missing == 1 ? first : fmt::format("{}, and {} more are not on all ranks", first, missing - 1)};
}

}  // namespace ropewalk::rope
