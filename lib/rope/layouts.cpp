#include "lib/rope/layouts.h"

#include <fmt/format.h>

#include <map>

#include "lib/rope/family_layout.h"
#include "lib/rope/rank_agreement.h"

namespace ropewalk::rope {
namespace {

// Layouts between which a rotation must choose: repeated columns, or cos and sin in one row of a real tensor.
enum class Kind : u8 { Other, Repeated, Both };
Kind kind_of(ColumnLayout layout) {
  switch (layout) {
    case ColumnLayout::RepeatedHalf:
    case ColumnLayout::RepeatedPairs:
      return Kind::Repeated;
    case ColumnLayout::CosSinHalves:
    case ColumnLayout::CosSinPairs:
    case ColumnLayout::SinCosHalves:
    case ColumnLayout::BothRepeatedHalf:
      return Kind::Both;
    case ColumnLayout::Plain:
    case ColumnLayout::RepeatedByAxis:
      return Kind::Other;
  }
  return Kind::Other;
}

std::map<Kind, std::map<ColumnLayout, size_t>> counts_of(const std::vector<JudgedTable>& judged) {
  std::map<Kind, std::map<ColumnLayout, size_t>> counts;
  for (const JudgedTable& one : judged) {
    if (!one.table || !one.verdict.healthy) continue;
    for (const Plane& plane : one.table->planes) {
      if (tells_layout(plane)) ++counts[kind_of(plane.layout)][plane.layout];
    }
  }
  return counts;
}

ColumnLayout most_common(const std::map<ColumnLayout, size_t>& counts) {
  ColumnLayout best = counts.begin()->first;
  for (const auto& [layout, count] : counts) {
    if (count > counts.at(best)) best = layout;
  }
  return best;
}

}  // namespace

bool tells_layout(const Plane& plane) { return plane.rows > 1 && plane.columns > 2; }

std::vector<JudgedTable*> tables_of_odd_layout(std::vector<JudgedTable>& judged) {
  const auto counts = counts_of(judged);
  std::vector<JudgedTable*> odd;
  for (JudgedTable& one : judged) {
    if (!one.table || !one.verdict.healthy) continue;
    for (const Plane& plane : one.table->planes) {
      const Kind kind = kind_of(plane.layout);
      if (kind == Kind::Other || !tells_layout(plane)) continue;
      const auto& layouts = counts.at(kind);
      if (layouts.size() < 2 || plane.layout == most_common(layouts)) continue;
      odd.push_back(&one);
      break;
    }
  }
  return odd;
}

std::vector<OddRank> ranks_of_odd_layout(std::vector<JudgedTable>& judged) {
  // Layout and function of each tensor of a table.
  using Sight = std::vector<std::pair<ColumnLayout, Trig>>;
  const auto sight_of = [](const JudgedTable& one) {
    Sight sight;
    for (const Plane& plane : one.table->planes)
      sight.push_back({plane.layout, plane.holds_both() ? Trig::Cos : plane.trig});
    return sight;
  };
  const auto text_of = [](const JudgedTable& one) {
    const Plane& plane = one.table->planes[0];
    const bool alone = !plane.holds_both() && one.table->planes.size() == 1;
    return std::string(alone ? plane.trig == Trig::Cos ? "cos alone, " : "sin alone, " : "") +
           std::string(name_of(plane.layout));
  };
  std::vector<OddRank> odd;
  for (const auto& [name, group] : same_tables(judged)) {
    std::vector<JudgedTable*> seen;
    for (JudgedTable* one : group) {
      if (!one->table || !one->verdict.healthy || !tells_layout(one->table->planes[0])) continue;
      const CacheTable& first = seen.empty() ? *one->table : *seen[0]->table;
      if (one->table->planes.size() == first.planes.size() && one->table->pairs() == first.pairs()) seen.push_back(one);
    }
    std::map<Sight, size_t> counts;
    for (const JudgedTable* one : seen) ++counts[sight_of(*one)];
    if (counts.size() < 2) continue;
    // Of equally many, the first rank's is the common one.
    const JudgedTable* common = seen[0];
    for (const JudgedTable* one : seen) {
      if (counts[sight_of(*one)] > counts[sight_of(*common)]) common = one;
    }
    for (JudgedTable* one : seen) {
      if (sight_of(*one) == sight_of(*common)) continue;
      odd.push_back({one, fmt::format("on rank {} the columns are {}; on rank {} those of the same table are {}",
                                      one->rank, text_of(*one), common->rank, text_of(*common))});
    }
  }
  return odd;
}

std::string layout_text(const std::vector<JudgedTable>& judged, const JudgedTable& odd) {
  const auto counts = counts_of(judged);
  for (const Plane& plane : odd.table->planes) {
    const auto found = counts.find(kind_of(plane.layout));
    if (found == counts.end() || kind_of(plane.layout) == Kind::Other) continue;
    const ColumnLayout common = most_common(found->second);
    if (plane.layout == common) continue;
    return fmt::format("{} is {}, {} other tensor{} {} {}", plane.tensor, name_of(plane.layout),
                       found->second.at(common), found->second.at(common) == 1 ? "" : "s",
                       found->second.at(common) == 1 ? "is" : "are", name_of(common));
  }
  return "tensors are in different layouts";
}

void judge_layouts(std::vector<JudgedTable>& judged) {
  const auto blame = [](JudgedTable& one, std::string text) {
    if (!one.verdict.healthy) return;
    one.verdict.healthy = false;
    one.verdict.cause = "layout-mixup";
    one.verdict.text = std::move(text);
    one.verdict.advice = "let all tables have the one layout that the rotation reads";
    one.verdict.evidence = {"each table by itself is right in its own layout"};
  };
  for (JudgedTable& one : judged) {
    if (!one.table || one.table->planes.size() < 2) continue;
    const Plane &cosine = one.table->planes[0], &sine = one.table->planes[1];
    if (cosine.columns != sine.columns)
      blame(one, fmt::format("{} has {} columns, {} {}: {}; {}", cosine.tensor, cosine.columns, sine.tensor,
                             sine.columns, name_of(cosine.layout), name_of(sine.layout)));
  }
  for (const OddRank& odd : ranks_of_odd_layout(judged)) blame(*odd.table, odd.text);
  for (JudgedTable* one : tables_of_odd_layout(judged)) blame(*one, layout_text(judged, *one));
}

std::vector<std::string> judge_family_layout(std::vector<JudgedTable>& judged, const std::string& family) {
  std::vector<std::string> notes;
  const std::optional<ColumnLayout> wanted = family_layout(family);
  for (JudgedTable& one : judged) {
    if (!one.table || !one.verdict.healthy || !tells_layout(one.table->planes[0])) continue;
    const ColumnLayout layout = one.table->planes[0].layout;
    if (layout == ColumnLayout::Plain) continue;
    // A tower has a program of its own.
    const bool of_text = !one.on_a_grid || wanted == ColumnLayout::RepeatedByAxis;
    const bool repeated = layout == ColumnLayout::RepeatedHalf || layout == ColumnLayout::RepeatedPairs;
    if (!repeated || !of_text || !wanted || layout == *wanted) {
      notes.push_back(fmt::format("columns are {}", name_of(layout)));
      continue;
    }
    one.verdict.healthy = false;
    one.verdict.cause = "layout-mixup";
    one.verdict.text = fmt::format("the columns are {}; {} reads them {}", name_of(layout), family, name_of(*wanted));
    one.verdict.advice = "let the table have the layout that the rotation reads";
    one.verdict.evidence = {fmt::format("each column is right as one of a table {}", name_of(layout)),
                            fmt::format("the configuration's model_type is {}", family)};
  }
  return notes;
}

}  // namespace ropewalk::rope
