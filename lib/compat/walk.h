// One walk through a caller's source: states go in at the top of a block and come out at its end.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/asked_lines.h"
#include "lib/compat/call.h"
#include "lib/compat/conditions.h"
#include "lib/compat/reach.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/state.h"
#include "lib/compat/version_tests.h"

namespace ropewalk::compat {

class CallWalk {
 public:
  using States = std::vector<PythonState>;

  CallWalk(const PythonFile& file, const CallOrder& order, const OwnModules& modules);
  CallsRead run();
  // The ways on which the module's own statements come to an end; functions are not walked.
  States module_ends();

 private:
  using Truths = std::map<std::string, bool>;  // by the text of an expression
  // What all calls of a function say of its parameters.
  struct Given {
    Truths truths;
    std::map<std::string, PythonConstant> constants;
    // Of one call alone: what it puts into the function's **more. None: there may be anything in it.
    std::optional<std::vector<NamedText>> more = {};
    bool operator==(const Given&) const = default;
  };
  // A function that is visited when the module has run to its end.
  struct Later {
    const PythonNode* function;
    std::string scope;
    std::vector<const PythonNode*> classes;  // that it stands in
  };

  States block(const std::vector<PythonNode>& body, States states);
  States statement(const PythonNode& one, States states);
  States branches(const PythonNode& one, States states);
  States cases(const PythonNode& one, States states);
  States class_definition(const PythonNode& one, States states);
  // Gives the class's constants and members their names: Mode.NEW.
  void give_members(const PythonNode& one, const ClassKind& kind, const States& ends, PythonState& state) const;
  States loop(const PythonNode& one, States states);
  // The block once, whatever the loop goes through.
  States rounds(const PythonNode& one, States states);
  // The block for each of the items.
  States unrolled(const PythonNode& one, const std::vector<PythonConstant>& items, PythonState state);
  // try, and with.
  States attempt(const PythonNode& one, States states);
  // Whether a statement ends in an error.
  struct Outcome {
    // Open: it may. Unclear: it may, and the version decides. Fails: surely.
    enum class Kind : u8 { Succeeds, Open, Unclear, Fails };
    Kind kind = Kind::Succeeds;
    std::string error;  // its class; empty: any
    std::string test;   // of Unclear: what cannot be computed
    void raises(Kind how, const std::string& of_class) {
      if (how <= kind) return;
      kind = how;
      error = of_class;
    }
  };
  // Whether the call comes back, as far as is known; on what cannot be computed the way depends from here on.
  bool comes_back(const PythonNode& call, PythonState& state) const;
  // The same of the decorators of a definition, and of the context managers of a `with`.
  bool is_run(const PythonNode& definition, PythonState& state) const;
  bool is_entered(const PythonNode& with, PythonState& state) const;
  // The handlers of `with contextlib.suppress(ImportError):`, and of managers of the sources that catch errors.
  std::vector<PythonNode> handlers_of_with(const PythonNode& with, const PythonState& state) const;
  std::vector<PythonNode> handlers_of_manager(const AbstractValue& maker, const PythonState& state) const;
  Outcome outcome_of(const PythonNode& statement, const PythonState& state) const;
  Outcome outcome_of_import(const PythonNode& statement) const;
  // Whether nothing in the loop leaves it or changes what its condition asks for.
  static bool goes_on_for_ever(const PythonNode& loop);
  // In the order of calls.
  void functions(std::vector<Later> later, const States& module_ends);
  // What functions give names that they declare global is there when others run.
  States with_globals(const std::vector<Later>& later, const States& module_ends);
  // One of the module or a method, from each of the module's ends.
  void visit(const Later& one, const States& module_ends, const Given* of_call = nullptr);
  // Functions that pass **more on, once more for each call of the file that puts something into it.
  void functions_with_more(const States& module_ends);
  // What the ctx of an autograd function has been given where it ends, by way; empty: it never does.
  std::set<Truths> function(const PythonNode& definition, PythonState state, const std::string& scope,
                            const Given& known);
  // The provider's functions, and the version tests, that are defaults of parameters which no call of the file gives
  // another value.
  std::map<std::string, AbstractValue> known_by_default(const PythonNode& definition, const PythonState& state) const;
  // In a method: what its class gives its attributes is what they are of an object, `self.NEW`, where no class below
  // has another.
  void give_own_attributes(PythonState& state) const;
  // What the constructor alone gives the attribute, by a version test; Unknown: it is something else, or what the
  // constructor is called with has a part in it.
  AbstractValue given_by_constructor(const std::string& name, const PythonState& state) const;
  // What is so wherever a method that runs before the others of its class comes to an end.
  std::set<Truths> in_common(const std::set<Truths>& ends) const;
  // Goes on where the condition is `truth`.
  void assume(const PythonNode& condition, bool truth, PythonState& state) const;
  // What is decided of parameters is so of the attributes that keep them.
  void tell_attributes(PythonState& state) const;
  // Whether all of the states have decided on the text alike.
  static bool agree(const States& states, const std::string& text);
  void come_to_end(const PythonState& state);
  States simple(const PythonNode& statement, PythonState state);
  // The ways on which the statement's collections of arguments differ: one for each outcome of the tests in them.
  States ways_of_arguments(const PythonNode& statement, const PythonState& state);
  // The same of one collection.
  States ways_of(const PythonNode& node, States states);
  // Takes back from a way what was known of the statement's own collections alone. `before`, `of_way`: the version
  // tests that it depended on before the statement, and that the collections depended on as well.
  void end_ways_of_arguments(const PythonNode& statement, const std::set<std::string>& before,
                             const std::set<std::string>& of_way, PythonState& end) const;
  // A collection that a function returns, and the version tests that it depends on.
  struct Made {
    AbstractValue value;
    std::set<std::string> unclear;
    bool operator==(const Made&) const = default;
  };
  // A function of the file that a call calls, or a method.
  struct Called {
    const PythonNode* function;
    const PythonNode* of_class;  // null: it is no method
  };
  // What functions of the file return to the call, by way; none where it is not known.
  std::vector<Made> made_by(const PythonNode& call, const PythonState& state);
  std::vector<Made> made_by(const Called& called, const PythonNode& call, const PythonState& state);
  // Of a method those of the classes below as well, which may have it in its place. None: it is something else, or one
  // of them cannot be followed.
  std::vector<Called> functions_called(const PythonNode& call, const PythonState& state) const;
  std::vector<Called> methods_called(const PythonNode& callee) const;
  // The way on which the test comes out so; none where it cannot.
  States outcome(const PythonNode& test, bool truth, PythonState state);
  std::optional<bool> truth_of_part(const PythonNode& node, const PythonState& state);
  // What `a or b` and `a and b` give, of collections.
  AbstractValue either_of(const PythonNode& node, const PythonState& state);
  States assign(const std::vector<PythonNode>& targets, const PythonNode& value, PythonState state);
  void give(const PythonNode& target, const AbstractValue& value, PythonState& state);
  // The target of a loop one of its items.
  void give_item(const PythonNode& target, const PythonConstant& item, PythonState& state);
  // Names that := stands behind in the statement have another value from here on.
  void give_named(const PythonNode& statement, PythonState& state);
  void import(const PythonNode& statement, PythonState& state);
  // What a collection's items are after the call of its method.
  std::optional<PythonConstant> changed_items(const PythonConstant& whole, const PythonNode& call,
                                              const PythonState& state) const;
  // Collections that the statement hands on to functions that may change them.
  void forget_given(const PythonNode& statement, PythonState& state) const;
  // What is kept of a collection that is changed at a time that is not known.
  AbstractValue kept_value(const PythonNode& target, AbstractValue value) const;
  // name.update(..), name.append(..), name.extend(..), name.pop(..) and the like, anywhere in a statement.
  void change_all(const PythonNode& statement, PythonState& state);
  void change(const PythonNode& call, PythonState& state);
  void remove(const PythonNode& target, PythonState& state);
  AbstractValue value_of(const PythonNode& node, const PythonState& state);
  // partial(f, ..) of a provider's function; Unknown: it is something else.
  AbstractValue partial_of(const PythonNode& node, const PythonState& state);
  AbstractValue mapping_of(const PythonNode& node, const PythonState& state);
  // Of a comprehension that filters a mapping of the way: the mapping; Unknown: it is something else.
  AbstractValue filtered_whole(const PythonNode& node, const PythonState& state);
  // `{name: value for name, value in mapping.items() if name in known}`.
  AbstractValue filtered(const PythonNode& node, const PythonState& state);
  AbstractValue sequence_of(const PythonNode& node, const PythonState& state);

  // Records every call of a provider's function in the expression; the number of the one that it is, if it is one.
  // kept: a function that the expression is, and not only calls, is followed by whoever takes the value.
  std::optional<size_t> find_calls(const PythonNode& node, const PythonState& state, bool kept = false);
  void find_calls_of(const PythonNode& statement, const PythonState& state);
  Call call_at(const AbstractValue& function, const PythonNode& node, const PythonState& state);
  // Of a call of a function of the file: what it says of the parameters.
  void pass(const LocalFunction& called, const PythonNode& call, const PythonState& state);
  // What the call says of the parameters; nullopt: which of them it fills is not known.
  std::optional<Given> given_by(const PythonNode& call, const std::vector<NamedText>& parameters,
                                const PythonNode& definition, const PythonState& state);
  // Notes what a call of a function of the file puts into the function's **more.
  void pass_more(const PythonNode& call, const PythonState& state);
  // Keeps of a function's parameters what this call says as well.
  void keep_common(const LocalFunction& called, Given given);
  size_t record(Call call);
  // Records names that the provider does not have, and functions that are handed on.
  void find_uses_of_names(const PythonNode& node, const PythonState& state, bool kept);
  // Of names that are looked up: the same, and lookups that cannot be computed.
  void find_lookup(const PythonNode& node, const PythonState& state);
  // Records that the function, or what is looked up (""), is handed on.
  void lose(const std::string& function, const PythonNode& node);
  void miss(const std::string& module, const std::string& name, u64 line, bool imported, const PythonState& state);
  // Ways that go on from here, where the condition cannot be computed, depend on a version test, if it is one: of `or`
  // and `and` one of the parts that cannot be computed.
  bool is_version_test(const PythonNode& condition, const PythonState& state) const;
  void note_unclear(const PythonNode& condition, PythonState& state);
  // Of a name that is made of a version test: that the test is computed here, and leaves what the run decides:
  // `use = IS_NEW and cap is not None`.
  bool is_decided_at_run_time(const PythonNode& target, const PythonNode& value, const PythonState& state) const;
  // result[3]: records the use; and what names such uses are given.
  void use_result(const PythonNode& node, const PythonState& state);
  void name_uses(const PythonNode& target, const PythonNode& value, const PythonState& state);
  bool catches_wrong_results() const;
  // A statement that asks what a result is, isinstance(result, tuple), knows what it does with it; how many results
  // there are is computed where it is known.
  static void forget_asked_results(const PythonNode& statement, States& states);
  // Ways that differ in nothing that is asked for behind the line are one.
  States limited(States states, u64 line);

  const PythonFile& file_;
  const ProviderView& provider_;
  const CallOrder& order_;
  const OwnModules& modules_;
  std::set<std::string> relevant_;
  const std::set<std::string> changed_;           // collections
  const std::set<std::string> changed_later_;     // the same, in functions
  const std::set<std::string> attributes_given_;  // outside of classes' bodies
  States* continued_ = nullptr;                   // of the loop that is unrolled: ways that go on with the next item
  States* broken_ = nullptr;                      // the same: ways that leave it
  std::string expression_;                        // whose names are looked at, for messages
  bool keeps_decisions_ = true;                   // else ways differ by the values of names alone
  std::vector<Later> later_;
  std::vector<const PythonNode*> classes_;  // around
  std::string scope_;
  bool in_module_ = true;
  std::set<std::string> caught_;                                // classes of errors that a try around catches
  bool in_class_ = false;                                       // in its body, not in a method
  std::map<const PythonNode*, Given> given_;                    // parameters of local functions that are called
  std::map<const PythonNode*, std::vector<Given>> given_more_;  // of functions with **more: what single calls say
  std::map<const PythonNode*, std::set<Truths>> ends_;          // of functions that were walked
  std::set<Truths>* ends_here_ = nullptr;                       // of the function that is walked
  std::map<const PythonNode*, AskedLines> asked_lines_;         // of functions that were walked
  AskedLines* asked_ = nullptr;                                 // the same
  std::string own_;                                             // "ctx." in an autograd function, "self." in a method
  bool has_context_ = false;                                    // in an autograd function
  const std::map<std::string, std::string>* kept_ = nullptr;    // of the function that is walked: see CallOrder::keeps
  const PythonNode* definition_ = nullptr;                      // of the function that is walked
  std::set<std::string> nonlocal_;                              // names that functions inside of it give a value
  const PythonNode* method_of_ = nullptr;                       // its class
  std::string own_name_;                                        // "self." in a method
  const PythonNode* maker_ = nullptr;                           // of the function whose results are looked for
  std::vector<Made>* made_ = nullptr;                           // the same
  int makers_ = 0;                                              // that call each other
  Reach reach_;
  CallsRead result_;
  const Conditions conditions_;
};

}  // namespace ropewalk::compat
