#include "lib/rope/cache_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/rope/words.h"

namespace ropewalk::rope {
namespace {

constexpr size_t most_causes = 3;

using Group = std::vector<const JudgedTable*>;

std::string listed(const std::set<std::string>& names, const char* word) {
  std::string out = fmt::format("{}{} ", word, names.size() == 1 ? "" : "s");
  size_t n = 0;
  for (const std::string& name : names) {
    if (n == 6) return out + fmt::format(" and {} more", names.size() - n);
    out += (n++ ? ", " : "") + name;
  }
  return out;
}

// The columns of one wrong row, for pictures: a sample of the table's error over position and column.
Footprint footprint_of(const JudgedTable& one) {
  Footprint footprint;
  if (!one.table || one.verdict.stream.row_is_wrong.empty()) return footprint;  // of cells of a grid no row was judged
  const Plane& plane = one.table->planes[one.verdict.plane];
  footprint.tensor = plane.tensor;
  footprint.shape = {plane.rows, plane.columns};
  std::vector<i64> wrong;
  for (i64 row = 0; row < plane.rows; ++row) {
    if (one.verdict.stream.row_wrong(row)) wrong.push_back(row);
  }
  const Suspect suspect = suspect_of(*one.table, one.task);
  const Model model = model_of(suspect.expected, suspect);
  if (model.frequencies.pairs() != plane.pairs()) return {};
  const RopeBounds bounds(model.frequencies, suspect.rounding);
  const size_t step = wrong.size() / 128 + 1;
  footprint.complete = step == 1;
  for (size_t n = 0; n < wrong.size(); n += step) {
    const i64 row = wrong[n];
    for (i64 column = 0; column < plane.columns; ++column) {
      const i64 pair = plane.pair_of(column);
      const double angle = model.angle_at(row, pair);
      const double value =
          model.frequencies.attention * (plane.trig_of(column) == Trig::Cos ? std::cos(angle) : std::sin(angle));
      const double error = std::abs(plane.at(row, column) - value),
                   allowed = bounds.of(plane.trig_of(column)).at(pair, model.position_at(row, pair), value);
      if (error <= allowed) continue;
      footprint.elements.push_back(row * plane.columns + column);
      footprint.errors.push_back(std::isfinite(error) ? float(error / allowed) : HUGE_VALF);
    }
  }
  return footprint;
}

void locate(Finding& finding, const JudgedTable& one) {
  Access access;
  const std::optional<WrongValue>& first = one.verdict.stream.first;
  if (one.table) {
    const Plane& plane = one.table->planes[first ? first->plane : one.verdict.plane];
    access.tensor = plane.tensor;
    access.shape = {plane.rows, plane.columns};
    access.dtype = name_of(plane.dtype);
    access.bytes = size_of(plane.dtype);
    if (first) access.index = std::vector<i64>{first->row, first->column};
  } else {
    access.tensor = one.frequencies->tensor;
    access.shape = {i64(one.frequencies->values.size())};
    access.dtype = name_of(one.frequencies->dtype);
    access.bytes = size_of(one.frequencies->dtype);
    if (first) access.index = std::vector<i64>{first->column};
  }
  finding.access = access;
  if (first && !one.only_damage) finding.numbers = Numbers{first->got, first->expected, first->bound, access.index};
}

std::string where_text(const Group& group, i64 ranks) {
  std::set<std::string> names, rank_names;
  for (const JudgedTable* one : group) {
    names.insert(one->name());
    rank_names.insert(std::to_string(one->rank));
  }
  std::string out = listed(names, "table");
  if (ranks > 1) out += " on " + listed(rank_names, "rank");
  return out;
}

std::string wrong_text(const JudgedTable& one, bool several) {
  const StreamVerdict& stream = one.verdict.stream;
  const char* const differs = several ? "differ" : "differs";
  const char* const its = several ? "their" : "its";
  if (one.reference_rank) {
    return fmt::format("{} from the one of rank {} in {} of {} values, first at {} {}, column {}", differs,
                       *one.reference_rank, stream.wrong, stream.values, one.table ? "row" : "frequency",
                       one.table ? stream.first->row : stream.first->column, stream.first->column);
  }
  if (one.only_damage && !stream.first) {
    const char* const what = one.table ? "of cos and sin" : "of inverse frequencies";
    return fmt::format("{} {} by any known formula", several ? "are no tables" : "is no table", what);
  }
  if (one.only_damage)
    return fmt::format("{} {} values that no table has, first at row {}, column {}", several ? "hold" : "holds",
                       stream.wrong, stream.first->row, stream.first->column);
  if (!stream.first && one.verdict.cause == "layout-mixup")
    return several ? "have their columns in another layout" : "has its columns in another layout";
  if (!stream.first)
    return several ? "are not the tables that the formula describes" : "is not the table that the formula describes";
  if (!one.table)
    return fmt::format("{} from {} formula in {} of {} frequencies, first in pair {}", differs, its, stream.wrong,
                       stream.values, stream.first->column);
  // Cells of an image have two positions.
  const std::string position = one.task.image ? "" : fmt::format(" (position {})", stream.first->position);
  return fmt::format("{} from {} formula in {} of {} values, first at row {}{}, column {}", differs, its, stream.wrong,
                     stream.values, stream.first->row, position, stream.first->column);
}

// What the cause is in the other tables, where it is not the same to the word.
void add_others(Cause& cause, const Group& group, i64 ranks) {
  constexpr size_t most_reported = 4;
  const auto text_of_one = [&](const JudgedTable& one) {
    const std::string& text = one.verdict.text;
    if (text.starts_with(fmt::format("rank {} ", one.rank))) return text;
    return (ranks > 1 ? fmt::format("{} on rank {}: ", one.name(), one.rank) : one.name() + ": ") + text;
  };
  std::vector<const JudgedTable*> others;
  for (const JudgedTable* one : group) {
    if (one->verdict.text != group.front()->verdict.text) others.push_back(one);
  }
  if (others.empty()) return;
  cause.text = text_of_one(*group.front());
  for (size_t n = 0; n < others.size() && n < most_reported; ++n) cause.evidence.push_back(text_of_one(*others[n]));
  if (others.size() > most_reported)
    cause.evidence.push_back(fmt::format("and {} more", others.size() - most_reported));
}

Finding finding_of(const Group& group, i64 ranks, bool odd_ranks) {
  const JudgedTable& one = *group.front();
  Finding finding;
  finding.rule = odd_ranks ? Rule::RankMismatch : Rule::CacheMismatch;
  const bool several =
      std::any_of(group.begin(), group.end(), [&](const JudgedTable* other) { return other->name() != one.name(); });
  finding.message = fmt::format("{} {}", where_text(group, ranks), wrong_text(one, several));
  locate(finding, one);
  finding.occurrences.cases = group.size();
  finding.case_text = one.file;
  if (!one.reference_rank && !one.only_damage) {
    finding.evidence.push_back("expected: " + in_words(one.task.formula) +
                               (one.task.recognised ? " (recognised, no configuration was given)" : ""));
  }
  if (one.verdict.cause.empty()) {
    finding.evidence.insert(finding.evidence.end(), one.verdict.evidence.begin(), one.verdict.evidence.end());
  } else {
    finding.cause = Cause{one.verdict.cause, one.verdict.text, one.verdict.evidence, one.verdict.advice};
    add_others(*finding.cause, group, ranks);
  }
  if (!one.reference_rank && !one.only_damage) finding.footprint = footprint_of(one);
  return finding;
}

}  // namespace

std::string JudgedTable::name_of_all() const {
  return table && table->of > 1 ? name().substr(0, name().rfind('[')) : name();
}

std::vector<Finding> findings_of(const std::vector<JudgedTable>& judged, i64 ranks) {
  // Where each rank has one table, they are the same one, whatever the files are called.
  std::set<i64> with_one;
  for (const JudgedTable& one : judged) with_one.insert(one.rank);
  const bool one_each = with_one.size() == judged.size();
  const auto name_of_same = [&](const JudgedTable& one) { return one_each ? std::string() : one.name(); };
  std::set<std::string> right_somewhere;
  for (const JudgedTable& one : judged) {
    if (one.verdict.healthy) right_somewhere.insert(name_of_same(one));
  }
  std::map<std::string, Group> groups;
  std::vector<std::string> order;
  for (const JudgedTable& one : judged) {
    if (one.verdict.healthy || !one.open.empty()) continue;
    const bool has_cause = !one.verdict.cause.empty();
    const std::string key = has_cause ? one.verdict.cause : one.verdict.text + in_words(one.task.formula);
    if (!groups.count(key)) order.push_back(key);
    groups[key].push_back(&one);
  }
  std::vector<Finding> findings;
  for (const std::string& key : order) {
    if (findings.size() == most_causes) break;
    const Group& group = groups[key];
    const bool odd = ranks > 1 && std::all_of(group.begin(), group.end(), [&](const JudgedTable* one) {
                       return right_somewhere.count(name_of_same(*one)) > 0;
                     });
    findings.push_back(finding_of(group, ranks, odd || key.starts_with("rank-")));
    if (Finding& last = findings.back(); odd && !last.cause) {
      // What was expected stays a note; the rest is the cause's evidence.
      const auto rest = last.evidence.begin() + i64(std::min<size_t>(1, last.evidence.size()));
      last.cause = Cause{
          "rank-differs", "this rank's table is not the other ranks', and no cause of one rank alone explains it",
          std::vector<std::string>(rest, last.evidence.end()),
          "compare how this rank made its table with the others: device, library versions, order of initialisation"};
      last.evidence.erase(rest, last.evidence.end());
    }
  }
  return findings;
}

}  // namespace ropewalk::rope
