// Conditions of a caller's source: what can be computed of them, and what is decided once on each way.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lib/compat/own_modules.h"
#include "lib/compat/state.h"

namespace ropewalk::compat {

// What is to be reported of how a source asks for versions.
struct VersionRemarks {
  std::set<std::string> texts;   // for the reader: that two versions are compared as texts
  bool more_than_order = false;  // it asks for more than which of two versions is later
  // What it asks of the package's other modules, and what that was.
  std::map<std::string, std::pair<AbstractValue, AbstractValue>> imported;
};

// A name, or a module, that is looked up as a text.
struct Lookup {
  std::optional<std::string> name;        // none: it cannot be computed
  const PythonNode* object = nullptr;     // whose name it is; null: it is a module's
  const PythonNode* otherwise = nullptr;  // what there is instead of a name that is not there
  bool top = false;                       // the package of the module is meant
};

// What a class is whose attributes can be computed: an enumeration, or none.
struct ClassKind {
  bool enumeration = false;
  PythonConstant::Likeness like = PythonConstant::Likeness::None;  // of its members
};

constexpr int most_bases = 6;  // of a class, below each other

// The word of ast for a comparison of the module operator, by its path: "operator.ge"; null: it is none.
const char* operation_named(const std::string& path);

// Whether a function of this name gives a package's version, or its distribution, which has the version.
bool asks_for_version(const std::string& name);
bool asks_for_distribution(const std::string& name);

// Whether the function has a yield of its own: a call of it runs nothing yet.
bool is_generator(const PythonNode& definition);

class Conditions {
 public:
  Conditions(const PythonFile& file, const OwnModules& modules, VersionRemarks& remarks)
      : file_(file), provider_(modules.provider()), modules_(modules), remarks_(remarks) {}

  // What an expression is for this version of the provider, where that can be computed: versions however they are asked
  // for, what they are made into, and calls of functions whose source is there.
  std::optional<PythonConstant> constant_of(const PythonNode& node, const PythonState& state) const;
  // A condition's truth where it can be computed or was decided before; names such as `_flash_attn_2_6_0_plus` that
  // nothing else says anything of are taken at their word.
  std::optional<bool> truth_of(const PythonNode& condition, const PythonState& state) const;
  // Goes on where the condition is `truth`.
  void assume(const PythonNode& condition, bool truth, PythonState& state) const;
  // Whether nothing in the sources gives a name such as `_flash_attn_2_6_0_plus` another meaning: `V >= "2.5.0"`.
  bool is_at_its_word(const PythonNode& name, const PackageVersion& release, const PythonState& state) const;
  // The package whose version, or whose being there, the call asks for; empty: it asks for none.
  std::string asked_package(const PythonNode& call, const PythonState& state) const;
  // What is looked up there: getattr(x, "name"), sys.modules["module"], importlib.import_module("module").
  std::optional<Lookup> lookup(const PythonNode& node, const PythonState& state) const;
  // What a name, or a name of a module, stands for: `flash_attn_func`, `utils.HAS_SOFTCAP`, or a lookup. Unknown
  // otherwise.
  AbstractValue named(const PythonNode& node, const PythonState& state) const;

  // The value of a statement of the function's body where those before it have been run; what a caller gives its
  // parameters is not known.
  std::optional<PythonConstant> value_in(const PythonNode& function, const PythonNode& statement,
                                         const PythonState& state) const;

  // Whether a call surely does not come back: sys.exit, pytest.skip, self.skipTest, or a function that sources define
  // and that raises. nullopt: such a function may, and what decides on it asks for the version and cannot be computed.
  std::optional<bool> ends(const PythonNode& call, const PythonState& state) const;
  // The same of entering a context manager that sources define: `with needs_new_version():`.
  std::optional<bool> ends_on_entry(const PythonNode& manager, const PythonState& state) const;
  // The method of a class that a source defines, or of one above it; Unknown: there is none.
  AbstractValue method_named(const AbstractValue& owner, const std::string& name, const PythonState& state,
                             int depth = 0) const;
  // Whether a decorator keeps what it decorates from being run: a mark that skips it. nullopt: it asks for the version,
  // and cannot be computed.
  std::optional<bool> skips(const PythonNode& decorator, const PythonState& state) const;

  // Whether a call of a provider's function, or bind(..) of its signature, is refused with a TypeError; nullopt: it is
  // no such call, or not all of its arguments are known.
  std::optional<bool> refuses(const PythonNode& call, const PythonState& state) const;

  // Whether a decorator that a source defines never runs what it decorates: it raises, or puts something else in its
  // place. nullopt: that cannot be computed.
  std::optional<bool> replaces(const PythonNode& decorator, const AbstractValue& maker, const PythonState& state) const;

  // nullopt: a base, a decorator or a metaclass may change what its attributes are.
  std::optional<ClassKind> kind_of_class(const PythonNode& definition, const PythonState& state, int depth = 0) const;

  // Gives the names of an import statement what they stand for.
  void import(const PythonNode& statement, PythonState& state) const;

 private:
  // What a function's body does.
  struct Run {
    bool known = true;
    std::optional<PythonConstant> returned;
    bool raised = false;
    std::string error;        // the class of what is raised; empty: not known
    bool comes_back = false;  // it returns, though what is not known
    bool goes_on() const { return known && !returned && !raised; }
  };

  bool is_provider(const std::string& package) const;
  // Whether the value is the provider's version, as a version or as a text.
  bool is_its_version(const PythonConstant& value) const;
  // "operator.ge" of `ge` that is imported from there.
  std::string imported_path(const PythonNode& node, const PythonState& state) const;
  // The same path where it was imported; "" where it was not.
  std::string path_of_import(const PythonNode& node, const PythonState& state) const;
  AbstractValue resolved(const AbstractValue& value) const;
  AbstractValue member(const PythonNode& object, const std::string& name, const PythonState& state) const;
  AbstractValue looked_up(const PythonNode& node, const PythonState& state) const;
  AbstractValue module_named(const std::string& name) const;
  // The version that a module of the provider states.
  AbstractValue version_text(const std::string& module) const;
  void import_all(bool provided, const std::string& module, PythonState& state) const;
  // The name that a called name was imported as, or its last part.
  std::string called_name(const PythonNode& callee, const PythonState& state) const;
  std::optional<PythonConstant> attribute(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> parameters_of(const PythonNode& function, const PythonState& state) const;
  std::optional<PythonConstant> has_name(const PythonNode& call, const PythonState& state) const;
  std::optional<PythonConstant> subscript(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> call(const PythonNode& node, const PythonState& state) const;
  // Of packaging's SpecifierSet, and of functions of the module re.
  std::optional<PythonConstant> matching(const PythonNode& call, const PythonState& state) const;
  // Of a method of what these give; nullopt: it is none.
  static std::optional<PythonConstant> matching_method(const PythonConstant& owner, const std::string& method,
                                                       const std::vector<PythonConstant>& given);
  // Whether the expression is the metadata of the provider's installation, whose "Version" is its version.
  bool is_metadata(const PythonNode& node, const PythonState& state) const;
  // Of a function by which transformers tells whether flash-attn is there, and how new it is.
  std::optional<PythonConstant> said_by_transformers(const PythonNode& call, const PythonState& state) const;
  std::optional<PythonConstant> built_in(const std::string& called, const PythonNode& node,
                                         const PythonState& state) const;
  std::optional<PythonConstant> method(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> named_constant(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> deciding(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> operation(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> collection_made(const std::string& called, const PythonNode& node,
                                                const PythonState& state) const;
  std::optional<PythonConstant> zipped(const PythonNode& node, const PythonState& state) const;
  static std::optional<PythonConstant> mapping_of_pairs(const PythonConstant& pairs);
  // Of (a, b), [a, b], {a, b} and {a: b}.
  std::optional<PythonConstant> display(const PythonNode& node, const PythonState& state) const;
  bool give_parts(const PythonNode& target, const PythonConstant& value, PythonState& state) const;
  bool each_round(const PythonNode& node, size_t loop, PythonState& state, std::vector<PythonConstant>& items) const;
  AbstractValue class_member(const AbstractValue& owner, const std::string& name, const PythonState& state,
                             int depth = 0) const;
  std::optional<PythonConstant> member_of_value(const AbstractValue& owner, const PythonNode& call,
                                                const PythonState& state) const;
  std::optional<PythonConstant> comprehension(const PythonNode& node, const PythonState& state) const;
  std::optional<PythonConstant> comparison(const PythonNode& node, const PythonState& state) const;
  std::optional<bool> compared(const PythonNode& left, const std::string& word, const PythonNode& right,
                               const PythonState& state) const;
  // The result of a function that a source defines, for these arguments.
  std::optional<PythonConstant> result_of(const AbstractValue& function, const PythonNode& call,
                                          const PythonState& state) const;
  Run run_of(const AbstractValue& function, const PythonNode& call, const PythonState& state) const;
  // guarded: an error is caught, so that what may raise one leaves open what comes after it.
  Run run(const std::vector<PythonNode>& body, PythonState& state, bool guarded = false) const;
  Run run_statement(const PythonNode& statement, PythonState& state, bool guarded) const;
  Run run_alone(const PythonNode& value, const PythonState& state, bool guarded) const;
  Run attempt(const PythonNode& statement, PythonState& state) const;
  void give_all(const PythonNode& statement, PythonState& state) const;
  void give_item(const PythonNode& target, const std::optional<PythonConstant>& value, PythonState& state) const;
  void change_all(const PythonNode& statement, PythonState& state) const;
  std::optional<PythonConstant> signature_of(const PythonNode& function, const PythonState& state) const;
  std::optional<PythonConstant> of_signature(const PythonConstant& signature, const std::string& asked) const;
  // The functions that a function of a source defines in itself, by name.
  using LocalFunctions = std::map<std::string, const PythonNode*>;
  // The one that it returns; null: it is not known.
  const PythonNode* returned_function(const std::vector<PythonNode>& body, LocalFunctions& known,
                                      PythonState& state) const;
  // Whether the function `name`, which a decorator was given, is never run by what the decorator returns, or by a body.
  std::optional<bool> is_dropped(const PythonNode& decorator, PythonState state) const;
  std::optional<bool> is_never_run(const std::vector<PythonNode>& body, const std::string& name,
                                   PythonState& state) const;
  // The state in which a call of the function begins, by the names of its source; nullopt: it is not known.
  std::optional<PythonState> state_inside(const AbstractValue& function, const PythonNode& call,
                                          const PythonState& state, const Conditions& inside) const;
  // Whether a call of the function raises where its body is run, of a generator up to its first yield.
  std::optional<bool> ends_inside(const AbstractValue& function, const PythonNode& call,
                                  const PythonState& state) const;
  std::optional<bool> ends_in_method(const AbstractValue& owner, const std::string& name, const PythonNode& call,
                                     const PythonState& state) const;
  // Whether the definition has something in it that ends a way, and whether that is so on every way.
  bool may_end(const PythonNode& definition) const;
  bool never_returns(const PythonNode& definition) const;
  bool asks_inside(const PythonNode& node, const PythonFile& file) const;
  std::optional<bool> is_key(const PythonNode& condition, const PythonState& state) const;
  std::optional<bool> skip_condition(const PythonNode& mark, const PythonState& state) const;

  const PythonFile& file_;
  const ProviderView& provider_;
  const OwnModules& modules_;
  VersionRemarks& remarks_;
  int depth_ = 0;  // of calls that are followed
};

}  // namespace ropewalk::compat
