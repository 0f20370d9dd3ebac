#include "lib/rope/atlas/cache_bug.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/json.h"

namespace ropewalk::rope {
namespace {

const std::string module = "model.rotary_emb.";

void write_frequencies(const RankMaking& one, Random& random, DumpWriter& writer) {
  std::vector<float> values = one.frequencies_in_place;
  if (values.empty()) values = float_frequencies(one.making);
  if (one.memory) fill_memory(random, values, 0, *one.memory);
  writer.add_tensor(module + "inv_freq", one.dtype, {i64(values.size())}, values);
}

void write_table(const RankMaking& one, Random& random, DumpWriter& writer) {
  FloatTable table = float_table(one.making, one.rows);
  if (one.older) {
    const FloatTable first = float_table(*one.older, one.older_rows);
    std::copy(first.cosine.begin(), first.cosine.end(), table.cosine.begin());
    std::copy(first.sine.begin(), first.sine.end(), table.sine.begin());
  }
  if (one.memory) {
    fill_memory(random, table.cosine, 0, *one.memory);
    fill_memory(random, table.sine, 0, *one.memory);
  }
  writer.add(table, one.layout, one.dtype, module);
}

}  // namespace

const std::vector<CacheBug>& all_cache_bugs() {
  static const std::vector<CacheBug> bugs = [] {
    std::vector<CacheBug> all = formula_bugs();
    for (auto more : {number_bugs, memory_bugs}) {
      for (CacheBug& bug : more()) all.push_back(std::move(bug));
    }
    std::stable_sort(all.begin(), all.end(), [](const CacheBug& a, const CacheBug& b) { return a.row < b.row; });
    return all;
  }();
  return bugs;
}

RopeConfig config_of(const CacheBug& bug) {
  const std::string path = fmt::format("the configuration of row {}", bug.row);
  return read_rope_config(JsonCursor(parse_json(bug.config, path), path));
}

std::vector<Dump> dumps_of(const CacheBug& bug, bool healthy) {
  const RopeFormula formula = config_of(bug).entries.front().formula;
  std::vector<Dump> dumps;
  for (i64 rank = 0; rank < bug.ranks; ++rank) {
    RankMaking one{rank, {formula, bug.rows}, bug.rows, bug.dtype, bug.layout, bug.frequencies_alone};
    if (!healthy) bug.mechanism(one);
    Random random = Random(u64(bug.row)).split(u64(rank));
    DumpWriter writer(fmt::format("rank{}.safetensors", rank));
    (one.frequencies_alone ? write_frequencies : write_table)(one, random, writer);
    dumps.push_back(writer.finish());
  }
  return dumps;
}

}  // namespace ropewalk::rope
