#include "lib/rope/formula_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "lib/rope/grid_tables.h"

namespace ropewalk::rope {
namespace {

constexpr double default_theta = 1e4;  // that programs take where they find none

using Words = std::set<std::string>;

Words words_in(const std::string& name) {
  Words words;
  std::string word;
  for (const char letter : name + ".") {
    if (std::isalpha(u8(letter))) {
      word += char(std::tolower(letter));
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

bool has_any(const Words& words, const Words& of) {
  return std::any_of(of.begin(), of.end(), [&](const std::string& one) { return words.count(one) > 0; });
}

// What modules of a part are called: those of "vision_config" may be "visual".
Words names_of_part(const std::string& part) {
  Words names = words_in(part);
  const Words image = {"vision", "visual", "vit", "image"}, sound = {"audio", "speech", "sound"};
  if (has_any(names, image)) names.insert(image.begin(), image.end());
  if (has_any(names, sound)) names.insert(sound.begin(), sound.end());
  // Words that say nothing, unless they are all that there is.
  Words telling = names;
  for (const char* general : {"encoder", "decoder", "model", "backbone", "tower", "text"}) telling.erase(general);
  return telling.empty() ? names : telling;
}

const Words model_names = {"language", "text", "llm", "lm"};
const Words tower_names = {"vision", "visual", "vit", "image", "video", "audio", "speech", "sound"};

}  // namespace

FormulaHypotheses::FormulaHypotheses(const RopeConfig& config) {
  std::set<std::string> parts;
  for (const RopeConfig::Entry& entry : config.entries) {
    FormulaHypothesis one{entry.formula,    entry.layer_type, entry.part,   entry.sure, entry.model_width,
                          entry.theta_said, entry.width_said, entry.layers, entry.image};
    hypotheses_.push_back(one);
    one.image.reset();
    for (const RopeFormula& other : entry.also) {
      one.formula = other;
      hypotheses_.push_back(one);
    }
    parts.insert(entry.part);
  }
  one_part_ = parts.size() <= 1 && config.complete && config.notes.empty();
}

FormulaHypotheses::FormulaHypotheses(const std::vector<RopeFormula>& recognised, bool sure) : recognised_(true) {
  for (const RopeFormula& formula : recognised) hypotheses_.push_back({formula, "", "", sure});
}

FormulaHypotheses::Candidates FormulaHypotheses::candidates_for(const std::string& name) const {
  Candidates candidates;
  const Words words = words_in(name);
  const bool of_model = has_any(words, model_names);
  for (const FormulaHypothesis& hypothesis : hypotheses_) {
    const bool meant = hypothesis.part.empty() ? of_model : has_any(words, names_of_part(hypothesis.part));
    if (meant) candidates.list.push_back(&hypothesis);
  }
  candidates.named = !candidates.list.empty();
  if (!candidates.named) {
    for (const FormulaHypothesis& hypothesis : hypotheses_) candidates.list.push_back(&hypothesis);
    // A configuration that is a tower's own has the rows of an image for its rows.
    const bool has_model = std::any_of(hypotheses_.begin(), hypotheses_.end(), [](const FormulaHypothesis& one) {
      return one.part.empty() && !is_grid(one.formula.axes);
    });
    if (!recognised_ && has_model && has_any(words, tower_names))
      candidates.open = "its name is a tower's, and the configuration has no formula for one";
  }
  candidates.list = of_its_type(std::move(candidates.list), name);
  return candidates;
}

std::vector<const FormulaHypothesis*> FormulaHypotheses::of_its_type(std::vector<const FormulaHypothesis*> list,
                                                                     const std::string& name) const {
  const std::string said = type_in(name);
  const i64 layer = layer_in(name);
  const auto spelled = [&](const FormulaHypothesis& one) { return name.find(one.layer_type) != name.npos; };
  const auto in_words = [&](const FormulaHypothesis& one) { return one.layer_type == said; };
  const auto by_number = [&](const FormulaHypothesis& one) {
    return one.layer_type == one.layers.of(layer) && has_numbers_of_model(one.layers);
  };
  for (const std::function<bool(const FormulaHypothesis&)>& is_meant :
       {std::function(spelled), std::function(in_words), std::function(by_number)}) {
    std::vector<const FormulaHypothesis*> typed;
    std::ranges::copy_if(list, std::back_inserter(typed),
                         [&](const FormulaHypothesis* one) { return !one->layer_type.empty() && is_meant(*one); });
    if (!typed.empty()) return typed;
  }
  return list;
}

// The first layers alone may as well be those of a stage of a pipeline, which counts its own from 0.
bool FormulaHypotheses::has_numbers_of_model(const LayerTypes& layers) const {
  std::set<i64> numbers;
  for (const std::string& name : names_) {
    if (const i64 number = layer_in(name); number >= 0) numbers.insert(number);
  }
  const i64 found = i64(numbers.size());
  return !layers.count() || found >= layers.count() || (found && *numbers.rbegin() >= found);
}

std::string FormulaHypotheses::type_in(const std::string& name) const {
  const Words words = words_in(name);
  if (has_any(words, {"local", "sliding", "swa"})) return sliding_attention;
  if (has_any(words, {"global"})) return full_attention;
  const auto is_local_of = [&](const std::string& other, const std::string& mark) {
    const size_t at = other.find(mark);
    return at != other.npos && std::string(other).erase(at, mark.size()) == name;
  };
  const bool has_local = std::any_of(names_.begin(), names_.end(), [&](const std::string& other) {
    return is_local_of(other, "_local") || is_local_of(other, "swa_");
  });
  return has_local ? full_attention : "";
}

bool FormulaHypotheses::is_sure(const FormulaHypothesis& hypothesis, const Candidates& candidates, i64 pairs) const {
  if (!hypothesis.sure || !candidates.open.empty()) return false;
  if (!hypothesis.width_said && hypothesis.formula.pairs() != pairs) return false;
  return recognised_ || one_part_ || candidates.named || hypothesis.formula.pairs() == pairs;
}

FormulaChoice FormulaHypotheses::choice_of(const FormulaHypothesis& hypothesis, const Candidates& candidates,
                                           i64 pairs) const {
  FormulaChoice choice{hypothesis.formula, is_sure(hypothesis, candidates, pairs),
                       candidates.open,    hypothesis.layer_type,
                       hypothesis.part,    hypothesis.model_width};
  if (!choice.sure && choice.open.empty()) {
    choice.open = recognised_ ? not_recognised
                  : hypothesis.sure && hypothesis.width_said
                      ? "the configuration describes several models, and nothing says which of them it is of"
                      : not_said;
  }
  return choice;
}

FormulaChoice FormulaHypotheses::for_table(const CacheTable& table, i64 rows, const PositionRuns& runs) const {
  const Candidates candidates = candidates_for(table.name);
  const FormulaHypothesis* best = nullptr;
  double most = -1;
  for (const FormulaHypothesis* hypothesis : candidates.list) {
    double share = candidates.list.size() > 1 ? quick_share(table, {hypothesis->formula, recognised_, rows, runs}) : 0;
    // Between formulas that fit equally badly the width decides, and what the configuration says outright.
    if (hypothesis->formula.pairs() == table.pairs()) share += 1e-6;
    if (hypothesis->sure) share += 1e-7;
    if (share > most) {
      most = share;
      best = hypothesis;
    }
  }
  FormulaChoice choice = choice_of(*best, candidates, table.pairs());
  // Rows of a grid are no positions: where they do not look like them, nothing tells which cells they are.
  if (choice.sure && !grids_for(table).empty() && most < 0.3) {
    choice.sure = false;
    choice.only_cells_open = best->theta_said;
    choice.open = "its rows are cells of a grid, in an order that is not known";
  }
  return choice;
}

std::vector<RopeFormula> FormulaHypotheses::formulas_for(const CacheTable& table) const {
  std::vector<RopeFormula> formulas;
  for (const FormulaHypothesis* hypothesis : candidates_for(table.name).list) {
    const bool fits = hypothesis->sure && hypothesis->formula.pairs() == table.pairs();
    if (fits && std::find(formulas.begin(), formulas.end(), hypothesis->formula) == formulas.end())
      formulas.push_back(hypothesis->formula);
  }
  return formulas;
}

std::vector<Alternative> FormulaHypotheses::of_other_layers(const FormulaChoice& choice) const {
  std::vector<Alternative> others;
  for (const FormulaHypothesis& one : hypotheses_) {
    if (one.layer_type == choice.layer_type || one.part != choice.part) continue;
    // The theta that programs fall back to may have been that: a difference in it alone is reported as one of theta.
    RopeFormula with_its_theta = choice.formula;
    with_its_theta.theta = one.formula.theta;
    if (one.formula == choice.formula || (one.formula == with_its_theta && one.formula.theta == default_theta))
      continue;
    others.push_back({"layer-type",
                      fmt::format("it is the table of {}, in place of {}", one.layer_type, choice.layer_type),
                      "build the table of each layer with the parameters of its own type",
                      0,
                      {},
                      {},
                      false,
                      one.formula});
  }
  return others;
}

std::vector<RopeFormula> FormulaHypotheses::grids_for(const CacheTable& table, bool in_texts) const {
  std::vector<RopeFormula> grids;
  for (const FormulaHypothesis* hypothesis : candidates_for(table.name).list) {
    const RopeAxes axes = hypothesis->formula.axes;
    if ((is_grid(axes) || (in_texts && axes != RopeAxes::One)) && hypothesis->formula.pairs() == table.pairs())
      grids.push_back(hypothesis->formula);
  }
  return grids;
}

std::vector<ImageFormula> FormulaHypotheses::images_for(const CacheTable& table) const {
  std::vector<ImageFormula> images;
  for (const FormulaHypothesis* hypothesis : candidates_for(table.name).list) {
    if (hypothesis->image && hypothesis->formula.pairs() == table.pairs())
      images.push_back({hypothesis->formula, *hypothesis->image});
  }
  return images;
}

std::vector<FormulaChoice> FormulaHypotheses::for_frequencies(const FrequencyTensor& tensor) const {
  const Candidates candidates = candidates_for(tensor.tensor);
  const i64 count = i64(tensor.values.size());
  std::vector<FormulaChoice> of_this_width, others;
  for (const FormulaHypothesis* hypothesis : candidates.list) {
    const i64 pairs = frequencies_kept(hypothesis->formula, count);
    (pairs == count ? of_this_width : others)
        .push_back(choice_of(*hypothesis, candidates, pairs == count ? hypothesis->formula.pairs() : 0));
  }
  of_this_width.insert(of_this_width.end(), others.begin(), others.end());
  return of_this_width;
}

}  // namespace ropewalk::rope
