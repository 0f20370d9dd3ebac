// One walk through a caller's source: states go in at the top of a block and come out at its end.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/asked_lines.h"
#include "lib/compat/call.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/state.h"

namespace ropewalk {

class CallWalk {
 public:
  CallWalk(const PythonFile& file, const ProviderView& provider, const CallOrder& order);
  CallsRead run();

 private:
  using States = std::vector<PythonState>;
  using Truths = std::map<std::string, bool>;  // by the text of an expression
  // A function that is visited when the module has run to its end.
  struct Later {
    const PythonStatement* function;
    std::string scope;
  };

  States block(const std::vector<PythonStatement>& body, States states);
  // Takes the statement at `n` of the body, and those that belong to it (elif, else, except, finally).
  States statement(const std::vector<PythonStatement>& body, size_t& n, States states);
  States branches(const std::vector<PythonStatement>& body, size_t& n, States states);
  States attempt(const std::vector<PythonStatement>& body, size_t& n, States states);
  // In the order of calls.
  void functions(std::vector<Later> later, const States& module_ends);
  // One of the module or a method, from each of the module's ends.
  void visit(const Later& one, const States& module_ends);
  // What the ctx of an autograd function has been given where it ends, by way; empty: it never does.
  std::set<Truths> function(const PythonStatement& definition, PythonState state, const std::string& scope,
                            const Truths& known);
  void come_to_end(const PythonState& state);
  States simple(const PythonStatement& statement, PythonState state);
  States assign(TokenSpan targets, TokenSpan value, PythonState state);
  void give(TokenSpan target, const AbstractValue& value, PythonState& state);
  void import(const PythonStatement& statement, PythonState& state);
  // name.update(..), name.append(..), name.extend(..), name.pop(..), del name[..]: false where it is none of these.
  bool change(TokenSpan tokens, PythonState& state);
  AbstractValue value_of(TokenSpan tokens, const PythonState& state);
  AbstractValue mapping_of(TokenSpan inside, bool literal, const PythonState& state);
  AbstractValue sequence_of(TokenSpan inside, const PythonState& state);

  // Records every call of a provider's function in the tokens; the number of the one that ends them, if one does.
  std::optional<size_t> find_calls(TokenSpan tokens, const PythonState& state);
  Call call_at(const AbstractValue& function, TokenSpan arguments, const PythonState& state) const;
  // Of a call of a function of the file: what it says of the parameters.
  void pass(const LocalFunction& called, TokenSpan arguments, const PythonState& state);
  // Keeps of a function's parameters what this call says as well.
  void keep_common(const LocalFunction& called, const Truths& given);
  size_t record(Call call);
  void find_uses(TokenSpan targets, TokenSpan value, const PythonState& state);
  // Ways that differ in nothing that is asked for behind the line are one.
  States limited(States states, u64 line);

  const PythonFile& file_;
  const ProviderView& provider_;
  const CallOrder& order_;
  std::set<std::string> relevant_;
  std::vector<Later> later_;
  std::string scope_;
  bool in_module_ = true;
  bool catching_ = false;                                     // inside a try that catches a refused call
  std::map<const PythonStatement*, Truths> given_;            // parameters of local functions that are called
  std::map<const PythonStatement*, std::set<Truths>> ends_;   // of functions that were walked
  std::set<Truths>* ends_here_ = nullptr;                     // of the function that is walked
  std::map<const PythonStatement*, AskedLines> asked_lines_;  // of functions that were walked
  AskedLines* asked_ = nullptr;                               // the same
  std::string own_;                                           // "ctx." in an autograd function
  CallsRead result_;
};

}  // namespace ropewalk
