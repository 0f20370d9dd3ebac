// Which of a configuration's formulas a table is judged by.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/judge_image.h"
#include "lib/rope/judge_table.h"
#include "lib/rope/read_config.h"

namespace ropewalk::rope {

// One formula that tables may have, and whose it is.
struct FormulaHypothesis {
  RopeFormula formula;
  std::string layer_type, part;
  bool sure = true;
  i64 model_width = 0;
  bool theta_said = false;
  bool width_said = true;
  LayerTypes layers = {};
  std::optional<ImageGrid> image = {};
};

// A table's formula. Not `sure`: a table that differs from it is unknown, for the reason that `open` tells.
struct FormulaChoice {
  RopeFormula formula;
  bool sure = true;
  std::string open;
  std::string layer_type, part;  // of the configuration
  i64 model_width = 0;           // 0: not known
  bool only_cells_open = false;  // all is said but which cells of a grid its rows are
};

// Why a table is left open: the configuration's fields do not tell the formula, or there is no configuration.
inline constexpr const char* not_said =
    "it is not the formula that is assumed, and the configuration does not say which it has";
inline constexpr const char* not_recognised =
    "no known formula explains it; a configuration (--config) would say which it has";
inline constexpr const char* not_told_apart =
    "formulas of any base explain it; a configuration (--config) would say which it has";

class FormulaHypotheses {
 public:
  explicit FormulaHypotheses(const RopeConfig& config);
  // Formulas that were read off the tables themselves. Not `sure`: the nearest one, which explains none of them.
  explicit FormulaHypotheses(const std::vector<RopeFormula>& recognised, bool sure = true);

  // The names of all tables: of two that differ in "local" alone, the other one is global.
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }
  // By the table's name and by what it holds.
  FormulaChoice for_table(const CacheTable& table, i64 rows, const PositionRuns& runs) const;
  // All that a table of this name and width may have.
  std::vector<RopeFormula> formulas_for(const CacheTable& table) const;
  // Those that the configuration gives to layers of another type than the chosen one, as what may have been taken for
  // it.
  std::vector<Alternative> of_other_layers(const FormulaChoice& choice) const;
  // Formulas with several axes that a table of this name and width may have; `in_texts`: also those of models whose
  // rows are positions of texts with images in them.
  std::vector<RopeFormula> grids_for(const CacheTable& table, bool in_texts = false) const;
  // Those whose rows are the cells of an image, as the family's own program places them.
  std::vector<ImageFormula> images_for(const CacheTable& table) const;
  // Those that a tensor of inverse frequencies may have, the likeliest first.
  std::vector<FormulaChoice> for_frequencies(const FrequencyTensor& tensor) const;
  bool empty() const { return hypotheses_.empty(); }

 private:
  struct Candidates {
    std::vector<const FormulaHypothesis*> list;
    bool named = false;  // the name says whose the table is
    std::string open;    // why none of them may be meant
  };
  Candidates candidates_for(const std::string& name) const;
  // Those of a list that are of the layer type that the name says, or that its layer has; all where it says none.
  std::vector<const FormulaHypothesis*> of_its_type(std::vector<const FormulaHypothesis*> list,
                                                    const std::string& name) const;
  FormulaChoice choice_of(const FormulaHypothesis& hypothesis, const Candidates& candidates, i64 pairs) const;
  bool is_sure(const FormulaHypothesis& hypothesis, const Candidates& candidates, i64 pairs) const;

  // The layer type that a name says in the words of Gemma 3 and MiMo; empty: none.
  bool has_numbers_of_model(const LayerTypes& layers) const;
  std::string type_in(const std::string& name) const;

  std::vector<FormulaHypothesis> hypotheses_;
  std::vector<std::string> names_;
  bool recognised_ = false;
  bool one_part_ = true;  // the configuration describes one model, and that as a whole
};

}  // namespace ropewalk::rope
