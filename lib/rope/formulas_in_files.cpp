#include "lib/rope/formulas_in_files.h"

#include <algorithm>

#include "lib/rope/judge_table.h"
#include "lib/rope/ranks.h"
#include "lib/rope/words.h"

namespace ropewalk::rope {
namespace {

// The rows from position 0 on that are neighbours: those from which a formula is read off.
CacheTable start_of(CacheTable table) {
  if (table.given.empty() || table.given[0].first_position != 0) return table;
  table.rows = table.given[0].rows;
  for (Plane& plane : table.planes) plane.rows = table.rows;
  return table;
}

class Search {
 public:
  explicit Search(const std::vector<FileTables>& files) : files_(files) {}

  FormulasInFiles run() {
    for (const FileTables& file : files_) {
      for (const CacheTable& table : file.tables) {
        if (!fits_any(table, found_.formulas)) take(recognise(start_of(table)));
      }
      for (const FrequencyTensor& tensor : file.frequencies) {
        if (found_.formulas.empty()) take(recognise(tensor));
      }
    }
    if (found_.formulas.empty()) take_from_stripes();
    found_.guessed = found_.formulas.empty() && nearest_;
    if (found_.guessed) found_.formulas.push_back(*nearest_);
    return std::move(found_);
  }

 private:
  void take(const Recognised& one) {
    if (!nearest_) nearest_ = one.nearest;
    if (!one.formula || std::ranges::count(found_.formulas, *one.formula)) return;
    found_.formulas.push_back(*one.formula);
    found_.notes.push_back("recognised: " + in_words(*one.formula));
  }

  // Ranks may have every n-th position each, and a formula shows where they are put together.
  void take_from_stripes() {
    for (const CacheTable& table : files_[0].tables) {
      std::vector<std::vector<std::byte>> memory;
      const std::vector<const CacheTable*> family = same_on_all(files_, table);
      if (family.size() != files_.size() || !found_.formulas.empty()) continue;
      if (const auto joined = joined_stripes(family, 4096, memory)) take(recognise(*joined));
    }
  }

  const std::vector<FileTables>& files_;
  FormulasInFiles found_;
  std::optional<RopeFormula> nearest_;
};

}  // namespace

FormulasInFiles formulas_in(const std::vector<FileTables>& files) { return Search(files).run(); }

bool fits_any(const CacheTable& table, const std::vector<RopeFormula>& formulas) {
  const PositionRuns positions = table.given.empty() ? positions_from(0, table.rows) : table.given;
  return std::ranges::any_of(formulas, [&](const RopeFormula& formula) {
    return formula.pairs() == table.pairs() && quick_share(table, {formula, true, table.rows, positions}) > 0.999;
  });
}

}  // namespace ropewalk::rope
