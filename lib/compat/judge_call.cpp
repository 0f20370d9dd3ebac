#include "lib/compat/judge_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ropewalk::compat {
namespace {

using ProblemKind = CallProblem::Kind;

// What a result is, from its name here or there: "out_per_step" and "out_padded" are both the output. Empty: no
// telling.
std::string meaning_of(const std::string& name) {
  if (name.find("lse") != std::string::npos) return "softmax_lse";
  if (name.find("rng") != std::string::npos) return "rng_state";
  if (name.find("dmask") != std::string::npos || name.find("S_mask") != std::string::npos) return "S_dmask";
  if (name == "softmax_d") return name;
  for (const char* gradient : {"dq", "dk", "dv"}) {
    if (name == gradient || name.starts_with(std::string(gradient) + "_")) return gradient;
  }
  if (name == "out" || name.starts_with("out_") || name == "output") return "out";
  return name == "q" || name == "k" || name == "v" ? name : "";
}

// The parameter that a name in a caller stands for: what is called slopes or alibi are those of alibi_slopes.
std::string parameter_meant(const std::string& name, const Vocabulary& vocabulary) {
  if (vocabulary.count(name)) return name;
  const bool of_alibi = name == "alibi" || name == "slopes" || name.ends_with("_slopes") || name.starts_with("alibi_");
  return of_alibi && vocabulary.count("alibi_slopes") ? "alibi_slopes" : name;
}

// Whether a literal is none of the values that a parameter has. By name True may be meant as a number, and 0.0 as
// False. A tensor may be None.
bool cannot_be(ValueKind parameter, ValueKind literal, const std::string& text, bool by_position) {
  // A default of None tells nothing of the others.
  const bool is_open = parameter == ValueKind::Any || parameter == ValueKind::None;
  if (literal == ValueKind::Any || is_open || literal == parameter) return false;
  if (parameter == ValueKind::Tensor) return literal != ValueKind::None;
  const bool is_sequence_or_text = literal == ValueKind::Pair || literal == ValueKind::Text;
  if (parameter == ValueKind::Pair || is_sequence_or_text) return true;
  if (parameter == ValueKind::Number) return literal == ValueKind::None || by_position;
  return literal == ValueKind::Number && by_position && text.find('.') != std::string::npos;
}

const char* words_for(ValueKind kind) {
  if (kind == ValueKind::Tensor) return "a tensor or None";
  return kind == ValueKind::Pair ? "a pair" : kind == ValueKind::Number ? "a number" : "True or False";
}

struct Bound {
  const SignatureParameter* parameter;
  std::string argument;
};

class Judge {
 public:
  Judge(const Call& call, const Signature& signature, const Vocabulary& vocabulary)
      : call_(call), signature_(signature), vocabulary_(vocabulary) {}

  std::vector<CallProblem> judge() {
    bind_positional();
    bind_keywords();
    if (!refused()) find_missing();
    if (!refused()) {
      find_shifts();
      find_wrong_values();
      if (!refused()) find_displaced_truths();
      judge_results();
    }
    return std::move(problems_);
  }

 private:
  void add(ProblemKind kind, std::string subject, std::string text, u64 line = 0) {
    problems_.push_back({kind, std::move(subject), std::move(text), line, std::nullopt});
  }
  bool refused() const { return !problems_.empty(); }
  bool has(SignatureParameter::Kind kind) const {
    return std::any_of(signature_.parameters.begin(), signature_.parameters.end(),
                       [&](const SignatureParameter& one) { return one.kind == kind; });
  }

  void bind_positional() {
    std::vector<const SignatureParameter*> by_position;
    for (const SignatureParameter& parameter : signature_.parameters) {
      if (parameter.kind == SignatureParameter::Kind::Either ||
          parameter.kind == SignatureParameter::Kind::PositionalOnly) {
        by_position.push_back(&parameter);
      }
    }
    for (size_t n = 0; n < call_.positional.size(); ++n) {
      if (n < by_position.size()) {
        bound_[by_position[n]->name] = {by_position[n], call_.positional[n]};
        positional_.push_back(by_position[n]->name);
      } else if (!has(SignatureParameter::Kind::AnyPositional)) {
        add(ProblemKind::TooManyPositionals, std::to_string(by_position.size()),
            fmt::format("takes {} positional arguments, and this call gives {}", by_position.size(),
                        call_.positional.size()));
        return;
      }
    }
  }

  void bind_keywords() {
    for (const NamedText& keyword : call_.keywords) {
      const auto found =
          std::find_if(signature_.parameters.begin(), signature_.parameters.end(), [&](const SignatureParameter& p) {
            return p.name == keyword.name &&
                   (p.kind == SignatureParameter::Kind::Either || p.kind == SignatureParameter::Kind::KeywordOnly);
          });
      if (found == signature_.parameters.end()) {
        if (has(SignatureParameter::Kind::AnyKeyword)) continue;
        add(ProblemKind::UnknownKeyword, keyword.name,
            fmt::format("has no parameter {}, which this call gives", keyword.name));
      } else if (bound_.count(keyword.name)) {
        const auto at = std::find(positional_.begin(), positional_.end(), keyword.name);
        add(ProblemKind::GivenTwice, keyword.name,
            fmt::format("gets {} twice from this call, {}", keyword.name,
                        at == positional_.end() ? "both times by name" : "by position and by name"));
        if (at != positional_.end()) problems_.back().position = u64(at - positional_.begin());
      } else {
        bound_[keyword.name] = {&*found, keyword.text};
      }
    }
  }

  void find_missing() {
    std::vector<std::string> missing;
    for (const SignatureParameter& parameter : signature_.parameters) {
      if (parameter.default_text || bound_.count(parameter.name)) continue;
      if (parameter.kind == SignatureParameter::Kind::AnyPositional ||
          parameter.kind == SignatureParameter::Kind::AnyKeyword)
        continue;
      if (call_.more_keywords && parameter.kind != SignatureParameter::Kind::PositionalOnly) continue;
      if (call_.more_positional && parameter.kind != SignatureParameter::Kind::KeywordOnly) continue;
      missing.push_back(parameter.name);
    }
    for (const std::string& name : missing) {
      add(ProblemKind::MissingArgument, name, fmt::format("needs {}, which this call does not give", name));
    }
  }

  void find_shifts() {
    for (size_t position = 0; position < positional_.size(); ++position) {
      const std::string& parameter = positional_[position];
      const std::string& argument = bound_[parameter].argument;
      const std::string name = parameter_meant(name_in(argument, false), vocabulary_);
      const auto known = vocabulary_.find(name);
      if (name.empty() || name == parameter || known == vocabulary_.end()) continue;
      const auto own = bound_.find(name);
      if (own != bound_.end() && parameter_meant(name_in(own->second.argument, false), vocabulary_) == name) continue;
      // Where nothing is given in its place, the name may be the caller's own word; unless it once stood here.
      if (own == bound_.end() && !known->second.count(position)) continue;
      add(ProblemKind::OtherMeaning, parameter,
          fmt::format("takes this call without a TypeError, but its argument {} lands in {}", argument, parameter));
      problems_.back().position = position;
    }
  }

  // Of the arguments by position the first one: those behind it are displaced with it.
  void find_wrong_values() {
    for (size_t position = 0; position < positional_.size(); ++position) {
      if (!is_wrong_value(bound_[positional_[position]], true)) continue;
      add_wrong_value(bound_[positional_[position]]);
      problems_.back().position = position;
      break;
    }
    for (const auto& [name, bound] : bound_) {
      const bool by_position = std::ranges::find(positional_, name) != positional_.end();
      if (!by_position && is_wrong_value(bound, false)) add_wrong_value(bound);
    }
  }
  static bool is_wrong_value(const Bound& bound, bool by_position) {
    return cannot_be(bound.parameter->values, value_kind_of(bound.argument), bound.argument, by_position);
  }
  void add_wrong_value(const Bound& bound) {
    const std::string& name = bound.parameter->name;
    add(ProblemKind::WrongValue, name,
        fmt::format("takes {} for {}, and this call gives {}", words_for(bound.parameter->values), name,
                    bound.argument));
  }

  // True or False that lands where another version has its flag.
  void find_displaced_truths() {
    for (size_t position = 0; position < positional_.size(); ++position) {
      const Bound& bound = bound_[positional_[position]];
      if (!bound.parameter->takes_place_of_truth || value_kind_of(bound.argument) != ValueKind::Truth) continue;
      add(ProblemKind::WrongValue, positional_[position],
          fmt::format("takes this call without a TypeError, but its argument {} lands in {}", bound.argument,
                      positional_[position]));
      problems_.back().position = position;
    }
  }

  // What this call returns; empty: not known.
  std::vector<std::string> returned_here() const {
    if (signature_.flag.empty()) return signature_.returns;
    const auto bound = bound_.find(signature_.flag);
    const auto parameter = std::ranges::find(signature_.parameters, signature_.flag, &SignatureParameter::name);
    std::string flag = "False";
    if (bound != bound_.end()) {
      flag = bound->second.argument;
    } else if (call_.more_positional || call_.more_keywords) {
      return {};
    } else if (parameter != signature_.parameters.end()) {
      flag = parameter->default_text.value_or("");
    }
    if (flag == "True") return signature_.flagged;
    return flag == "False" ? signature_.returns : std::vector<std::string>{};
  }

  void judge_results() {
    const std::vector<std::string> returned = returned_here();
    if (!returned.empty()) {
      const bool single = returned.size() == 1;
      if (call_.unpacked && single) {
        add(ProblemKind::ResultIsNoTuple, returned[0],
            fmt::format("returns {} alone, and this call takes {} results apart", returned[0], *call_.unpacked));
      } else if (call_.unpacked &&
                 (call_.unpacks_rest ? *call_.unpacked > returned.size() : *call_.unpacked != returned.size())) {
        add(ProblemKind::ResultCount, std::to_string(returned.size()),
            fmt::format("returns {} results, and this call takes {} apart", returned.size(), *call_.unpacked));
      } else {
        for (const ResultUse& use : call_.uses) judge_use(use, returned);
      }
    }
    if (!call_.lse_layout.empty() && !signature_.lse_layout.empty() && call_.lse_layout != signature_.lse_layout) {
      add(ProblemKind::LseLayout, "softmax_lse",
          fmt::format("returns softmax_lse as ({}), and the caller takes it to be ({})", signature_.lse_layout,
                      call_.lse_layout));
    }
  }

  void judge_use(const ResultUse& use, const std::vector<std::string>& returned) {
    const std::string wanted = meaning_of(use.name);
    // A tensor is indexed by batch entries as well.
    if (returned.size() == 1 && !signature_.flag.empty() && (wanted.empty() || wanted == meaning_of(returned[0])))
      return;
    if (returned.size() == 1) {
      return add(ProblemKind::ResultIsNoTuple, returned[0],
                 fmt::format("returns {} alone, and the caller asks for result {} of a tuple", returned[0], use.index),
                 use.line);
    }
    if (use.index >= i64(returned.size()) || use.index < -i64(returned.size())) {
      return add(ProblemKind::ResultIndex, std::to_string(use.index),
                 fmt::format("returns {} results, and the caller asks for number {}{}", returned.size(), use.index,
                             use.name.empty() ? "" : ", as " + use.name),
                 use.line);
    }
    const size_t index = size_t(use.index < 0 ? use.index + i64(returned.size()) : use.index);
    if (const std::string got = meaning_of(returned[index]); !wanted.empty() && !got.empty() && wanted != got) {
      add(ProblemKind::ResultMeaning, use.name,
          fmt::format("returns {} as result {}, and the caller takes it for {}", returned[index], use.index, use.name),
          use.line);
    }
  }

  const Call& call_;
  const Signature& signature_;
  const Vocabulary& vocabulary_;
  std::map<std::string, Bound> bound_;
  std::vector<std::string> positional_;
  std::vector<CallProblem> problems_;
};

}  // namespace

bool is_refused(CallProblem::Kind kind) { return kind <= ProblemKind::GivenTwice; }

std::vector<CallProblem> judge_call(const Call& call, const Signature& signature, const Vocabulary& vocabulary) {
  return Judge(call, signature, vocabulary).judge();
}

}  // namespace ropewalk::compat
