#include "lib/rope/layer_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/rope/words.h"

namespace ropewalk::rope {
namespace {

// Of two types that take turns the rarer one has at least every seventh layer.
constexpr size_t layers_an_odd_one = 8;

using Layers = std::vector<JudgedTable*>;

const RopeFormula& common_formula(const Layers& layers) {
  const auto votes = [&](const JudgedTable* one) {
    return std::count_if(layers.begin(), layers.end(),
                         [&](const JudgedTable* other) { return other->task.formula == one->task.formula; });
  };
  return (*std::max_element(layers.begin(), layers.end(),
                            [&](const JudgedTable* a, const JudgedTable* b) { return votes(a) < votes(b); }))
      ->task.formula;
}

}  // namespace

std::string without_digits(std::string name) {
  std::erase_if(name, [](char letter) { return letter >= '0' && letter <= '9'; });
  return name;
}

std::vector<std::string> compare_layers(std::vector<JudgedTable>& judged) {
  std::map<std::pair<i64, std::string>, Layers> modules;
  for (JudgedTable& one : judged) {
    if (one.table && one.verdict.healthy) modules[{one.rank, without_digits(one.name())}].push_back(&one);
  }
  std::vector<std::string> notes;
  for (const auto& [module, layers] : modules) {
    const RopeFormula common = common_formula(layers);
    Layers odd;
    std::copy_if(layers.begin(), layers.end(), std::back_inserter(odd),
                 [&](const JudgedTable* one) { return one->task.formula != common; });
    if (odd.empty()) continue;
    if (odd.size() * layers_an_odd_one > layers.size()) {
      notes.push_back(fmt::format("of {} tables like {} {} {} of another formula than {}", layers.size(),
                                  layers.front()->name(), odd.size(), odd.size() == 1 ? "is" : "are",
                                  in_words(common)));
      continue;
    }
    for (JudgedTable* one : odd) {
      TableTask task = one->task;
      task.formula = common;
      TableVerdict verdict = judge_table(*one->table, task);
      if (verdict.healthy) continue;
      verdict.evidence.push_back(fmt::format("{} of {} layers have the formula that is expected here",
                                             layers.size() - odd.size(), layers.size()));
      one->task = std::move(task);
      one->verdict = std::move(verdict);
    }
  }
  return notes;
}

namespace {

bool is_right_by(const JudgedTable& one, const RopeFormula& formula) {
  TableTask task = one.task;
  task.formula = formula;
  task.known.clear();
  if (!one.table) return judge_frequencies(*one.frequencies, task).healthy;
  return quick_share(*one.table, task) > 0.99 && judge_table(*one.table, task).healthy;
}

void blame_exchange(JudgedTable& one, const JudgedTable& other) {
  one.verdict.cause = "layer-type";
  one.verdict.text = fmt::format("it is the table of {}, in place of {}", other.layer_type, one.layer_type);
  one.verdict.advice = "build the table of each layer with the parameters of its own type";
  one.verdict.evidence = {fmt::format("{} is right for {}", one.name(), other.layer_type),
                          fmt::format("{} is right for {}", other.name(), one.layer_type)};
}

}  // namespace

void explain_exchanged_layers(std::vector<JudgedTable>& judged) {
  const auto may_be = [](const JudgedTable& one) {
    return !one.verdict.healthy && one.open.empty() && !one.only_damage && !one.layer_type.empty();
  };
  for (JudgedTable& one : judged) {
    if (!may_be(one)) continue;
    for (JudgedTable& other : judged) {
      const bool is_other = other.rank == one.rank && !other.table == !one.table && other.layer_type != one.layer_type;
      if (!is_other || !may_be(other)) continue;
      if (!is_right_by(one, other.task.formula) || !is_right_by(other, one.task.formula)) continue;
      blame_exchange(one, other);
      blame_exchange(other, one);
      break;
    }
  }
}

}  // namespace ropewalk::rope
