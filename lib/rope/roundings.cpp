#include "lib/rope/roundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/rope/rank_agreement.h"

namespace ropewalk::rope {
namespace {

// The same table on another rank, in a longer format.
const JudgedTable* exact_copy_of(const JudgedTable& one, const std::vector<JudgedTable*>& group) {
  for (const JudgedTable* other : group) {
    if (other->table && other->rank != one.rank && other->verdict.healthy && size_of(rounded_to(*other->table)) > 2)
      return other;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> judge_roundings(std::vector<JudgedTable>& judged, const RopeConfig* config) {
  std::vector<std::string> notes;
  for (auto& [name, group] : same_tables(judged)) {
    for (JudgedTable* const table : group) {
      JudgedTable& one = *table;
      if (!one.table || !one.verdict.healthy) continue;
      const auto& planes = one.table->planes;
      if (planes.size() == 2 && planes[0].dtype != planes[1].dtype) {
        notes.push_back(fmt::format("table {} has cos in {} and sin in {}: each is judged by its own rounding",
                                    one.name(), name_of(planes[0].dtype), name_of(planes[1].dtype)));
      }
      const Dtype stored = planes[0].dtype, rounded = rounded_to(*one.table);
      if (size_of(rounded) > 2) continue;
      const JudgedTable* const exact = exact_copy_of(one, group);
      const bool is_short = size_of(stored) <= 2;
      const bool is_array = one.file.ends_with(".npy") || one.file.ends_with(".npz");
      const bool has_format =
          one.file.ends_with(".safetensors") || one.file.ends_with(".pt") || (is_array && rounded == Dtype::F16);
      const std::optional<Dtype> said = config ? config->dtype : std::nullopt;
      const bool excluded = said && said != rounded;
      if (!exact && is_short) continue;
      if (!exact && !excluded && (said || !has_format)) {
        std::string note = fmt::format("the values are {} numbers in {}: they are judged as {}", name_of(rounded),
                                       name_of(stored), name_of(rounded));
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
        continue;
      }
      one.verdict.healthy = false;
      one.verdict.cause = "table-rounded";
      one.verdict.text =
          is_short ? fmt::format("the table is {}, that of rank {} is {}", name_of(stored), exact->rank,
                                 name_of(rounded_to(*exact->table)))
                   : fmt::format("the {} table was rounded to {} on the way", name_of(stored), name_of(rounded));
      one.verdict.advice = "keep the table in one format from where it is made to where it is read";
      one.verdict.evidence = {
          fmt::format("every value is a {} number, and right by that format's rounding", name_of(rounded))};
      one.verdict.evidence.push_back(
          exact ? fmt::format("on rank {} the same table is {} throughout", exact->rank,
                              name_of(rounded_to(*exact->table)))
          : has_format
              ? fmt::format("the file's format has {}, so that a table in it need not be widened", name_of(rounded))
              : fmt::format("the configuration's dtype is {}", name_of(*said)));
    }
  }
  return notes;
}

}  // namespace ropewalk::rope
