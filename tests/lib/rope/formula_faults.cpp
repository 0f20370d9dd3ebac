#include <cmath>

#include "reference/rope_table.h"
#include "tests/lib/rope/faults.h"

namespace ropewalk::rope::testing {
namespace {

using Type = RopeType;
using Change = std::function<void(FaultCase&, RopeFormula&)>;

Fault other_formula(const char* name, const char* cause, std::function<bool(const FaultCase&)> applies, Change change) {
  Fault fault{name, cause, std::move(applies)};
  fault.on_shards = true;
  fault.spoil_making = [change](FaultCase& one, Making& making, i64&) { change(one, making.formula); };
  return fault;
}

bool is(const FaultCase& one, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), one.formula.type) != types.end();
}

bool has_factor(const FaultCase& one) {
  return !is(one, {Type::Default, Type::DynamicAlpha, Type::LongRope, Type::Proportional});
}
bool is_yarn(const FaultCase& one) { return is(one, {Type::Yarn, Type::DeepseekYarn}); }
bool grows(const FaultCase& one) {
  return one.formula.type != Type::Dynamic || one.total > one.formula.max_positions * 5 / 4;
}
// Scaled in a way that reaches all tables.
bool scaled(const FaultCase& one) { return !is(one, {Type::Default, Type::Proportional}) && grows(one); }

}  // namespace

std::vector<Fault> formula_faults() {
  std::vector<Fault> list;
  for (const double theta : {1e4, 5e5, 1e6}) {
    list.push_back(other_formula(
        "another theta", "wrong-theta", [=](const FaultCase& one) { return one.formula.theta != theta; },
        [=](FaultCase&, RopeFormula& f) { f.theta = theta; }));
  }
  list.push_back(other_formula(
      "scaling left out", "scaling-missing",
      [](const FaultCase& one) { return scaled(one) && one.formula.factor * one.formula.alpha > 1; },
      [](FaultCase&, RopeFormula& f) {
        f.type = Type::Default;
        f.attention_factor.reset();
      }));
  for (const Type type : {Type::Linear, Type::Llama3, Type::Yarn}) {
    list.push_back(other_formula(
        "scaling of another model", "scaling-unexpected",
        [](const FaultCase& one) { return is(one, {Type::Default}) && one.formula.head_dim == one.formula.rotary_dim; },
        [=](FaultCase& one, RopeFormula& f) {
          f.type = type;
          f.factor = double(2 << one.random.split(1).below(4));
          f.original_positions = std::max<i64>(f.max_positions / 4, 64);
        }));
  }
  for (const double times : {2.0, 0.5, 4.0}) {
    list.push_back(other_formula(
        "another factor", "scaling-wrong-factor",
        [=](const FaultCase& one) { return has_factor(one) && grows(one) && one.formula.factor * times > 1; },
        [=](FaultCase&, RopeFormula& f) { f.factor *= times; }));
  }
  for (const Type type : {Type::Linear, Type::Llama3, Type::Yarn, Type::Dynamic, Type::Ntk}) {
    list.push_back(other_formula(
        "another type", "scaling-wrong-type",
        [=](const FaultCase& one) {
          return has_factor(one) && grows(one) && one.formula.type != type && !(is_yarn(one) && type == Type::Yarn) &&
                 !is(one, {Type::MixedNtk}) && (type != Type::Dynamic || one.total > one.formula.trained_positions());
        },
        [=](FaultCase&, RopeFormula& f) {
          f.type = type;
          f.attention_factor.reset();
        }));
  }
  list.push_back(other_formula(
      "static ntk", "scaling-wrong-type",
      [](const FaultCase& one) {
        return is(one, {Type::Linear, Type::Yarn, Type::Llama3});
      },
      [](FaultCase&, RopeFormula& f) {
        const double d = double(f.rotary_dim);
        f.theta *= std::pow(f.factor, d / (d - 2));
        f.type = Type::Default;
        f.attention_factor.reset();
      }));
  list.push_back(other_formula("truncate", "scaling-wrong-parameter", is_yarn,
                               [](FaultCase&, RopeFormula& f) { f.truncate = !f.truncate; }));
  list.push_back(other_formula("betas", "scaling-wrong-parameter", is_yarn,
                               [](FaultCase&, RopeFormula& f) { f.beta_fast = 16, f.beta_slow = 2; }));
  list.push_back(other_formula(
      "original length", "scaling-wrong-parameter",
      [](const FaultCase& one) { return is_yarn(one) || is(one, {Type::Llama3}); },
      [](FaultCase&, RopeFormula& f) { f.original_positions *= 4; }));
  list.push_back(other_formula(
      "frequency factors", "scaling-wrong-parameter", [](const FaultCase& one) { return is(one, {Type::Llama3}); },
      [](FaultCase&, RopeFormula& f) { f.low_freq_factor = 2, f.high_freq_factor = 8; }));
  list.push_back(other_formula(
      "the other set", "longrope-wrong-set", [](const FaultCase& one) { return is(one, {Type::LongRope}); },
      [](FaultCase& one, RopeFormula& f) { f.long_set = one.total <= f.original_positions; }));

  const auto turns = [](const FaultCase& one) { return is_yarn(one) || is(one, {Type::LongRope}); };
  Fault forgotten{"attention factor left out", "attention-factor", turns};
  forgotten.on_shards = true;
  forgotten.spoil_making = [](FaultCase&, Making& making, i64&) { making.attention = 1.0; };
  list.push_back(forgotten);
  Fault twice{"attention factor twice", "attention-factor", turns};
  twice.spoil_making = [](FaultCase& one, Making& making, i64&) {
    making.attention = std::pow(reference::rope_attention(one.formula), 2);
  };
  list.push_back(twice);

  Fault head{"exponents over head_dim", "head-dim-for-rotary-dim", [](const FaultCase& one) {
               return is(one, {Type::Default}) && one.formula.rotary_dim < one.formula.head_dim;
             }};
  head.on_shards = true;
  head.spoil_making = [](FaultCase& one, Making& making, i64&) { making.width = one.formula.head_dim; };
  list.push_back(head);

  Fault width{"another width", "wrong-rotary-dim", [](const FaultCase& one) {
                return !is(one, {Type::LongRope, Type::Proportional}) && one.formula.rotary_dim == one.formula.head_dim;
              }};
  width.always_shows = true;
  width.spoil_making = [](FaultCase& one, Making& making, i64&) {
    making.formula.rotary_dim = one.formula.rotary_dim / 2;
  };
  list.push_back(width);

  Fault whole{"the whole head", "head-dim-for-rotary-dim", [](const FaultCase& one) {
                return !is(one, {Type::LongRope, Type::Proportional}) && one.formula.rotary_dim < one.formula.head_dim;
              }};
  whole.always_shows = true;
  whole.spoil_making = [](FaultCase& one, Making& making, i64&) { making.formula.rotary_dim = one.formula.head_dim; };
  list.push_back(whole);
  return list;
}

}  // namespace ropewalk::rope::testing
