#include "lib/rope/check_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "lib/base/error.h"
#include "lib/rope/axis_tables.h"
#include "lib/rope/cache_findings.h"
#include "lib/rope/damage.h"
#include "lib/rope/family_layout.h"
#include "lib/rope/formula_choice.h"
#include "lib/rope/formulas_in_files.h"
#include "lib/rope/judge_cells.h"
#include "lib/rope/judge_grid.h"
#include "lib/rope/layer_agreement.h"
#include "lib/rope/layouts.h"
#include "lib/rope/merge_files.h"
#include "lib/rope/missing_on_ranks.h"
#include "lib/rope/plain_axes.h"
#include "lib/rope/rank_agreement.h"
#include "lib/rope/roundings.h"
#include "lib/rope/shard_starts.h"
#include "lib/rope/short_tables.h"
#include "lib/rope/storage_faults.h"
#include "lib/rope/swapped_shard.h"
#include "lib/rope/words.h"
#include "lib/rope/wrong_elements.h"

namespace ropewalk::rope {
namespace {

constexpr const char* unnamed = "its name does not say that it is a rope cache";
constexpr const char* elsewhere =
    "its rows begin at another position than 0, as those of a batch may; a configuration (--config) says where they do";
constexpr const char* unused = "the model computes its table by frequencies of its own, and does not use this tensor";
constexpr const char* no_formula = "the configuration has no formula that is known here";

class Check {
 public:
  Check(std::vector<FileTables> files, const std::optional<RopeConfig>& config, u32 threads)
      : files_(std::move(files)), config_(config), threads_(threads) {}

  CacheAnswer run() {
    settle_formulas();
    judge_tables();
    judge_frequency_tensors();
    if (guessed_) forget_guess();
    settle_open();
    explain_exchanged_layers(judged_);
    if (recognised_) add_notes(compare_layers(judged_));
    compare_ranks(judged_, config_.has_value());
    explain_shard_starts(judged_, ranks());
    add_notes(notes_on_lengths(judged_));
    add_notes(notes_on_missing(files_, open_));
    if (!recognised_) add_notes(notes_on_forwards(judged_));
    add_notes(judge_roundings(judged_, config_ ? &*config_ : nullptr));
    judge_layouts(judged_);
    for (const std::string& note : judge_family_layout(judged_, config_ ? config_->family : "")) add_note(note);
    CacheAnswer answer;
    answer.findings = findings_of(judged_, ranks());
    if (!recognised_) add_short_tables(judged_, ranks(), answer.findings);
    answer.notes = std::move(notes_);
    answer.not_judged = std::move(open_);
    add_open_tables(answer);
    answer.cases = answer.not_judged.size();
    for (const JudgedTable& one : judged_) {
      answer.cases += one.open.empty();
      answer.passed += one.verdict.healthy;
      answer.largest_part = std::max(answer.largest_part, one.verdict.part);
    }
    return answer;
  }

 private:
  i64 ranks() const { return i64(files_.size()); }
  i64 asked_rows() const { return config_ ? config_->asked_rows : 0; }

  // Tables of one tensor that are left open for one reason are one case.
  void add_open_tables(CacheAnswer& answer) const {
    std::map<std::tuple<i64, std::string, std::string>, std::vector<const JudgedTable*>> groups;
    std::vector<const std::vector<const JudgedTable*>*> order;
    for (const JudgedTable& one : judged_) {
      if (one.open.empty()) continue;
      auto& group = groups[{one.rank, one.name_of_all(), one.open}];
      if (group.empty()) order.push_back(&group);
      group.push_back(&one);
    }
    for (const auto* group : order) {
      const JudgedTable& first = *group->front();
      answer.not_judged.push_back(
          {group->size() == 1 ? first.name() : fmt::format("{} ({} tables)", first.name_of_all(), group->size()),
           first.open});
    }
  }

  // The formulas that tables may have: of the configuration, or one recognised from the first table that shows one.
  void settle_formulas() {
    if (config_) {
      hypotheses_ = FormulaHypotheses(*config_);
      for (const RopeConfig::Entry& entry : config_->entries) {
        std::string whose =
            entry.part + (entry.part.empty() || entry.layer_type.empty() ? "" : ", ") + entry.layer_type;
        if (!whose.empty()) whose += ": ";
        notes_.push_back(whose + in_words(entry.formula) + (entry.sure ? "" : ", which is assumed"));
      }
      notes_.insert(notes_.end(), config_->notes.begin(), config_->notes.end());
      hypotheses_.set_names(all_names());
      return;
    }
    recognised_ = true;
    const FormulasInFiles found = formulas_in(files_);
    formulas_ = found.formulas;
    guessed_ = found.guessed;
    add_notes(found.notes);
    hypotheses_ = FormulaHypotheses(formulas_, !guessed_);
  }

  // Whether a formula that was recognised may be expected of a table: it is its own but for a few elements, or that of
  // the same module in another layer or on another rank.
  bool is_expected_of(const CacheTable& table) const {
    return std::any_of(files_.begin(), files_.end(), [&](const FileTables& file) {
      return std::any_of(file.tables.begin(), file.tables.end(), [&](const CacheTable& other) {
        const bool alone = file.tables.size() == 1 && files_[0].tables.size() == 1;
        return (alone || without_digits(other.name) == without_digits(table.name)) && fits_any(other, formulas_);
      });
    });
  }

  std::vector<std::string> all_names() const {
    std::vector<std::string> names;
    for (const FileTables& file : files_) {
      for (const CacheTable& table : file.tables) names.push_back(table.name);
      for (const FrequencyTensor& tensor : file.frequencies) names.push_back(tensor.tensor);
    }
    return names;
  }

  void judge_tables() {
    if (hypotheses_.empty()) return leave_all_open();
    std::map<std::string, Arrangement> arrangements;
    std::set<Arrangement> reported;
    for (i64 rank = 0; rank < ranks(); ++rank) {
      for (const CacheTable& table : files_[size_t(rank)].tables) {
        const std::vector<const CacheTable*> family = same_on_all(files_, table);
        const bool on_all = i64(family.size()) == ranks() && ranks() > 1;
        Arrangement arrangement = Arrangement::Copies;
        if (on_all && table.given.empty()) {
          const std::string key = files_[0].tables.size() == 1 ? "" : table.name;
          if (!arrangements.count(key)) {
            const RopeFormula formula =
                hypotheses_.for_table(*family[0], family[0]->rows, positions_from(0, family[0]->rows)).formula;
            arrangements[key] = arrangement_of(family, formula, asked_rows() ? asked_rows() : formula.max_positions);
          }
          arrangement = arrangements[key];
        }
        if (arrangement != Arrangement::Copies && reported.insert(arrangement).second) {
          notes_.push_back(fmt::format("the {} files are {}", ranks(), name_of(arrangement)));
        }
        judge(table, rank, arrangement);
      }
    }
  }

  void judge(const CacheTable& table, i64 rank, Arrangement arrangement) {
    JudgedTable one{rank, files_[size_t(rank)].path, &table, nullptr, {}, {}};
    const std::vector<i64> rows = rows_on_ranks(files_, table, arrangement);
    const i64 shard = arrangement == Arrangement::Copies ? 0 : rank;
    one.task.runs = table.given.empty() ? runs_of(arrangement, shard, rows) : table.given;
    one.task.formula_rows = table.given.empty() ? formula_rows_of(arrangement, shard, rows) : positions_of(table.given);
    one.task.recognised = recognised_;
    one.task.asked_rows = asked_rows();
    one.task.threads = threads_;
    const FormulaChoice choice = hypotheses_.for_table(table, one.task.formula_rows, one.task.runs);
    one.task.formula = choice.formula;
    one.task.model_width = choice.model_width;
    one.layer_type = choice.layer_type;
    one.task.at_cells = arrangement == Arrangement::Copies && stands_at_cells(table, one.task);
    if (!explain_swapped_shard(one, files_, arrangement)) {
      one.task.known = hypotheses_.of_other_layers(choice);
      one.task.known.insert(one.task.known.end(), known_.begin(), known_.end());
      one.verdict = judge_table(table, one.task);
      one.task.known.clear();
      if (!one.verdict.healthy && one.verdict.cause.empty()) try_other_formulas(one);
      const bool of_other_layer = one.verdict.cause == "layer-type";
      if (!of_other_layer && one.verdict.winner && one.verdict.winner->formula) known_.push_back(*one.verdict.winner);
      if (one.verdict.healthy && explain_real_part(one.verdict, table)) one.verdict.healthy = false;
      if (!one.verdict.healthy && arrangement == Arrangement::Copies) look_for_a_grid(one, choice.only_cells_open);
      if (!table.given.empty()) explain_positions(one);
      if (one.task.at_cells && !one.on_a_grid) note_cells(one);
      if (!one.verdict.healthy) explain_exchanged_axes(one, files_[size_t(rank)].tables);
      if (!one.verdict.healthy) add_not_a_number(one.verdict, table);
    }
    const bool sure = choice.sure && (!recognised_ || one.verdict.healthy || is_expected_of(table));
    const bool is_judged = one.verdict.healthy || one.on_a_grid || (is_damage(one.verdict) && !table.guess);
    if (!is_judged && (!sure || table.guess))
      one.open = table.guess ? unnamed : choice.sure ? not_recognised : choice.open;
    if (recognised_ && table.of > 1 && one.verdict.cause == "position-shift") one.open = elsewhere;
    leave_open_if_guessed(one);
    look_for_damage(one);
    judged_.push_back(std::move(one));
  }

  // What the nearest formula explains without having been recognised, others explain as well.
  void leave_open_if_guessed(JudgedTable& one) const {
    if (!guessed_ || !one.verdict.healthy) return;
    one.verdict.healthy = false;
    one.open = not_told_apart;
  }

  // A table that is neither right nor wrong by a formula may be damaged all the same.
  static void look_for_damage(JudgedTable& one) {
    if (one.open.empty() || one.table->guess || !explain_damage(one.verdict, *one.table)) return;
    one.open.clear();
    one.only_damage = true;
  }

  // What is wrong by a formula that nobody gave and no table has is no difference from it: that it is no table.
  void forget_guess() {
    bool is_near = false;
    for (JudgedTable& one : judged_) {
      const bool is_garbage = one.open.empty() && one.verdict.cause == "uninitialized-memory" && !one.only_damage;
      is_near |= !is_garbage && one.open != not_told_apart;
      if (!is_garbage) continue;
      one.only_damage = true;
      one.verdict.stream.first.reset();
    }
    if (is_near) notes_.push_back("no known formula explains the tables; the nearest: " + in_words(formulas_[0]));
  }

  // Where the fields leave a formula open and most tables of a module have it, it is that of the others too.
  void settle_open() {
    std::vector<JudgedTable*> settled;
    for (JudgedTable& one : judged_) {
      if (one.open != not_said || !one.table) continue;
      i64 right = 0, left = 0;
      for (const JudgedTable& other : judged_) {
        const bool alike = other.table && other.task.formula == one.task.formula &&
                           without_digits(other.name()) == without_digits(one.name());
        right += alike && other.rank == one.rank && other.verdict.healthy;
        left += alike && other.rank == one.rank && !other.verdict.healthy;
      }
      if (right > left) settled.push_back(&one);
    }
    for (JudgedTable* one : settled) one->open.clear();
  }

  // Damage that no formula explains is seen without knowing the right one.
  static bool is_damage(const TableVerdict& verdict) {
    return verdict.cause == "uninitialized-memory" || verdict.cause == "not-a-number" ||
           verdict.cause == "flipped-bit" || verdict.cause == "isolated-elements";
  }

  // Where a table fits none of several formulas, the one is meant from which a known cause leads to it.
  void try_other_formulas(JudgedTable& one) const {
    for (const RopeFormula& formula : hypotheses_.formulas_for(*one.table)) {
      if (formula == one.task.formula) continue;
      TableTask task = one.task;
      task.formula = formula;
      TableVerdict verdict = judge_table(*one.table, task);
      if (verdict.cause.empty()) continue;
      one.task = std::move(task);
      one.verdict = std::move(verdict);
      return;
    }
  }

  // Rows of texts stand at positions of several axes where there are images in them.
  void look_for_a_grid(JudgedTable& one, bool knows_theta) {
    std::string note;
    const std::vector<ImageFormula> images = hypotheses_.images_for(*one.table);
    // Positions beside the table are the caller's.
    if (one.table->given_cells.empty() && judge_image(one, images, note)) return add_note(note);
    const KnownOfGrid known{knows_theta, config_ && puts_height_first(config_->family)};
    const std::vector<RopeFormula> formulas = hypotheses_.grids_for(*one.table, one.verdict.cause.empty());
    if (!explain_image_axes(one, images) && judge_on_grid(one, formulas, known, note)) add_note(note);
  }

  void note_cells(JudgedTable& one) {
    one.on_a_grid = one.verdict.healthy;
    add_note(fmt::format("rows of table {} are {} at positions of {} axes, those that stand beside it in its file",
                         one.name(), one.verdict.healthy ? "cells of a grid," : "judged",
                         one.table->given_cells.size()));
  }

  // Whether it may be the table that positions of its file look up rows of.
  static bool may_be_looked_up(const JudgedTable& one) {
    const i64 rows = one.table->rows;
    return rows >= wanted_rows(one) && std::ranges::all_of(one.table->given, [rows](const PositionRun& run) {
             return run.first_position + run.rows <= rows;
           });
  }

  // Positions in the file may belong to something else than its table.
  void explain_positions(JudgedTable& one) {
    if (!one.verdict.healthy) {
      if (!may_be_looked_up(one)) return;
      TableTask task = one.task;
      task.runs = positions_from(0, one.table->rows);
      task.formula_rows = one.table->rows;
      if (quick_share(*one.table, task) < 0.999) return;
      one.task = std::move(task);
      one.verdict = judge_table(*one.table, one.task);
      add_note(fmt::format("rows of table {} are positions from 0, not those beside it", one.name()));
    } else if (!one.on_a_grid && one.task.runs.size() + size_t(one.task.runs[0].first_position) > 1) {
      add_note(fmt::format("rows of table {} are at the positions that stand beside it in its file", one.name()));
    }
  }

  void leave_all_open() {
    for (const FileTables& file : files_) {
      for (const CacheTable& table : file.tables) {
        JudgedTable one{i64(&file - files_.data()), file.path, &table, nullptr, {}, {}, no_formula};
        look_for_damage(one);
        judged_.push_back(std::move(one));
      }
    }
  }

  void judge_frequency_tensors() {
    for (i64 rank = 0; rank < ranks(); ++rank) {
      const FileTables& file = files_[size_t(rank)];
      i64 rows = 0;
      for (const JudgedTable& one : judged_) {
        if (one.rank == rank) rows = one.task.formula_rows;
      }
      for (const FileTables::Unjudged& one : file.unjudged) open_.push_back({one.tensor, one.reason});
      for (const FrequencyTensor& tensor : file.frequencies) {
        if (config_ && is_frequency_buffer_unused(config_->family))
          open_.push_back({tensor.tensor, unused});
        else
          judge(tensor, rank, file, rows);
      }
    }
  }

  void judge(const FrequencyTensor& tensor, i64 rank, const FileTables& file, i64 rows) {
    JudgedTable one{rank, file.path, nullptr, &tensor, {}, {}};
    const std::vector<FormulaChoice> choices = hypotheses_.for_frequencies(tensor);
    if (choices.empty()) return open_.push_back({tensor.tensor, no_formula});
    bool sure = false;
    for (size_t n = 0; n < choices.size(); ++n) {
      TableTask task{choices[n].formula,    recognised_, rows, {}, threads_, hypotheses_.of_other_layers(choices[n]),
                     choices[n].model_width};
      TableVerdict verdict = judge_frequencies(tensor, task);
      // Of formulas that all do not fit, one that is sure and has as many frequencies is meant.
      if (n > 0 && !verdict.healthy && (sure || !choices[n].sure)) continue;
      sure = choices[n].sure;
      one.layer_type = choices[n].layer_type;
      task.known.clear();
      one.task = std::move(task);
      one.verdict = std::move(verdict);
      if (one.verdict.healthy) break;
    }
    const bool left_open = !sure || tensor.guess;
    if (!one.verdict.healthy && left_open && (tensor.guess || !is_no_frequency(tensor)))
      one.open = tensor.guess ? unnamed : choices.front().open;
    if (recognised_ && one.open.empty() && !one.verdict.healthy && !is_expected_of(tensor, one, file))
      one.open = not_recognised;
    leave_open_if_guessed(one);
    judged_.push_back(std::move(one));
  }

  // Whether a formula that was recognised elsewhere may be expected of frequencies: it is theirs but for a few, or that
  // of the same module, in other layers or on other ranks too. The same frequencies in another order may be meant.
  bool is_expected_of(const FrequencyTensor& tensor, const JudgedTable& judged, const FileTables& file) const {
    const StreamVerdict& stream = judged.verdict.stream;
    if (is_no_frequency(tensor) || (stream.values > 0 && stream.wrong * 4 <= stream.values)) return true;
    if (judged.verdict.cause == "frequency-order") return false;
    const auto module = [](const std::string& name) { return name.substr(0, name.rfind('.') + 1); };
    const bool is_only = std::ranges::count_if(file.frequencies, [&](const FrequencyTensor& other) {
                           return module(other.tensor) == module(tensor.tensor);
                         }) == 1;
    const auto fits = [&](const FrequencyTensor& other) {
      return std::ranges::any_of(formulas_, [&](const RopeFormula& formula) {
        TableTask task = judged.task;
        task.formula = formula;
        return judge_frequencies(other, task).healthy;
      });
    };
    return std::ranges::any_of(files_, [&](const FileTables& of_rank) {
      return std::ranges::any_of(of_rank.frequencies,
                                 [&](const FrequencyTensor& other) {
                                   return without_digits(other.tensor) == without_digits(tensor.tensor) && fits(other);
                                 }) ||
             (is_only && std::ranges::any_of(of_rank.tables, [&](const CacheTable& table) {
                return module(table.name) == module(tensor.tensor) && fits_any(table, formulas_);
              }));
    });
  }

  // Values that no order of frequencies has.
  static bool is_no_frequency(const FrequencyTensor& tensor) {
    const auto sound = [](double value) { return std::isfinite(value) && value >= 0 && value < 1e3; };
    return !std::all_of(tensor.values.begin(), tensor.values.end(), sound) ||
           std::all_of(tensor.values.begin(), tensor.values.end(), [](double value) { return value == 0; });
  }

  void add_notes(const std::vector<std::string>& notes) { notes_.insert(notes_.end(), notes.begin(), notes.end()); }

  void add_note(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }

  std::vector<FileTables> files_;
  const std::optional<RopeConfig>& config_;
  const u32 threads_;
  bool recognised_ = false;
  bool guessed_ = false;               // no formula explains any table, and the nearest one stands for it
  std::vector<RopeFormula> formulas_;  // that were recognised
  FormulaHypotheses hypotheses_{std::vector<RopeFormula>()};
  std::vector<Answer::NotJudged> open_;
  std::vector<JudgedTable> judged_;
  std::vector<Alternative> known_;  // that explained a table
  std::vector<std::string> notes_;
};

}  // namespace

CacheAnswer check_dumps(const std::vector<Dump>& dumps, const std::optional<RopeConfig>& config, u32 threads) {
  TableHints hints;
  if (config) {
    hints.sin_first = puts_sin_first(config->family);
    for (const RopeConfig::Entry& entry : config->entries) {
      hints.pairs.push_back(entry.formula.pairs());
      for (const RopeFormula& other : entry.also) hints.pairs.push_back(other.pairs());
      if (entry.part.empty() && entry.formula.type == RopeType::LongRope) {
        hints.original_positions = entry.formula.original_positions;
        hints.long_positions = entry.formula.max_positions;
      }
    }
  }
  std::vector<std::string> notes;
  std::vector<Dump> plain;
  std::vector<FileTables> files;
  for (const Dump& dump : dumps) {
    plain.push_back(with_plain_axes(dump, hints, notes));
    files.push_back(find_tables(plain.back(), hints));
  }
  CacheAnswer answer = Check(merged_files(std::move(files)), config, threads).run();
  answer.notes.insert(answer.notes.end(), notes.begin(), notes.end());
  return answer;
}

CacheAnswer check_caches(const CacheRequest& request) {
  std::vector<Dump> dumps;
  for (const std::string& path : request.files) dumps.push_back(open_dump(path, request.raw));
  if (request.raw.dtype && std::ranges::none_of(dumps, &Dump::takes_dtype)) {
    throw InputError("--dtype: every file says it itself; it goes with raw bytes, and 16-bit integers in .npy");
  }
  return check_dumps(dumps, request.config, request.threads);
}

}  // namespace ropewalk::rope
