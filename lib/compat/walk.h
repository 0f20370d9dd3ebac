// One walk through a caller's source: states go in at the top of a block and come out at its end.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/state.h"

namespace ropewalk {

class CallWalk {
 public:
  CallWalk(const PythonFile& file, const ProviderView& provider);
  CallsRead run();

 private:
  using States = std::vector<PythonState>;
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
  void function(const PythonStatement& definition, PythonState state, const std::string& scope);
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
  size_t record(Call call);
  void find_uses(TokenSpan targets, TokenSpan value, const PythonState& state);
  States limited(States states);

  const PythonFile& file_;
  const ProviderView& provider_;
  std::set<std::string> relevant_;
  std::vector<Later> later_;
  std::string scope_;
  bool in_module_ = true;
  bool catching_ = false;  // inside a try that catches a refused call
  CallsRead result_;
};

}  // namespace ropewalk
