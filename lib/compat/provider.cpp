#include "lib/compat/provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/compat/module_names.h"
#include "lib/compat/source_tree.h"
#include "lib/compat/tables.h"

namespace ropewalk::compat {
namespace {

PackageVersion version_at(const JsonCursor& cursor) {
  const std::optional<PackageVersion> version = parse_version(cursor.text());
  if (!version) cursor.fail("expected a version such as \"2.6.3\", found " + cursor.description());
  return *version;
}

// "q, k, window_size=(-1, -1)" of the table.
std::vector<SignatureParameter> read_parameters(const std::string& text) {
  std::vector<SignatureParameter> parameters;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ','); ++end) {
      depth += (text[end] == '(') - (text[end] == ')');
    }
    const std::string one = text.substr(begin, end - begin);
    const size_t equals = one.find('=');
    parameters.push_back({one.substr(0, equals), SignatureParameter::Kind::Either, std::nullopt, ValueKind::Any});
    if (equals != std::string::npos) parameters.back().default_text = one.substr(equals + 1);
    begin = end + 2;
  }
  return parameters;
}

std::vector<SignatureTable::Change> read_changes(const JsonCursor& function, const std::string& module) {
  std::vector<SignatureTable::Change> changes;
  SignatureTable::Change change;
  function.read("name", change.signature.name);
  change.signature.module = module;
  for (const JsonCursor& cursor : function.at("changes").elements()) {
    change.from = version_at(cursor.at("from"));
    if (cursor.has("parameters")) {
      change.signature.parameters = read_parameters(cursor.at("parameters").text());
    }
    cursor.read_if("lse", change.signature.lse_layout);
    cursor.read_if("returns", change.signature.returns);
    cursor.read_if("flag", change.signature.flag);
    cursor.read_if("flagged", change.signature.flagged);
    changes.push_back(change);
  }
  return changes;
}

// Tells the parameters with a default of None that stand where another version has a truth.
void find_places_of_truths(std::vector<SignatureTable::Change>& changes) {
  std::set<size_t> truths;
  for (const auto& change : changes) {
    for (size_t n = 0; n < change.signature.parameters.size(); ++n) {
      if (change.signature.parameters[n].values == ValueKind::Truth) truths.insert(n);
    }
  }
  for (auto& change : changes) {
    for (size_t n = 0; n < change.signature.parameters.size(); ++n) {
      SignatureParameter& one = change.signature.parameters[n];
      const bool is_none = one.values == ValueKind::None || (one.values == ValueKind::Tensor && one.default_text);
      one.takes_place_of_truth = is_none && truths.count(n) > 0;
    }
  }
}

SignatureTable read_table() {
  const JsonCursor root(parse_json(flash_attn_table(), "flash_attn.json"), "flash_attn.json");
  SignatureTable table;
  root.read("package", table.package);
  root.read("module", table.module);
  for (const JsonCursor& version : root.at("versions").elements()) table.versions.push_back(version_at(version));
  for (const JsonCursor& function : root.at("functions").elements()) {
    table.functions.push_back(read_changes(function, table.module));
  }
  const auto visit = [&](const auto& each) {
    for (auto& changes : table.functions) {
      for (auto& change : changes) std::ranges::for_each(change.signature.parameters, each);
    }
  };
  visit([&](const SignatureParameter& one) {
    const ValueKind kind = value_kind_of(one.default_text.value_or(""));
    if (!one.default_text) return;
    const auto [known, is_new] = table.values.emplace(one.name, kind);
    if (!is_new && known->second != kind) known->second = ValueKind::Any;
  });
  for (const JsonCursor& name : root.at("tensors").elements()) table.values[name.text()] = ValueKind::Tensor;
  visit([&](SignatureParameter& one) { one.values = table.values_of(one.name); });
  std::ranges::for_each(table.functions, find_places_of_truths);
  return table;
}

// Whether the file belongs to the package itself, not to something that its archive carries along.
bool is_own(const SourceText& file, const std::string& package) {
  return same_package(file.module.substr(0, file.module.find('.')), package);
}

// Fills in the version, as it is given or as the sources say it.
void find_version(const SourceTree& tree, const std::string& version, Provider& provider) {
  const std::string text = version.empty() ? tree.version : version;
  const std::optional<PackageVersion> given = parse_version(version), declared = parse_version(tree.version);
  if (given && declared && *given != *declared) {
    throw InputError("--provider-version: " + tree.path + " says that it is of version " + tree.version + ", found " +
                     version);
  }
  provider.version = parse_version(text);
  if (!text.empty() && !provider.version) {
    throw InputError(InputLocation{tree.path},
                     "its version \"" + text + "\" is none; give one with --provider-version");
  }
  const std::optional<PackageVersion> stated = parse_version(tree.stated);
  if (!stated || !provider.version || *stated == *provider.version) return;
  provider.stated = stated;
  provider.notes.push_back(fmt::format("{}: its metadata says that it is of version {}, and its __version__ {}",
                                       tree.path, provider.version->text, stated->text));
}

// The files of the package itself. Throws InputError where the package is there several times.
std::vector<const SourceText*> own_files(const SourceTree& tree) {
  const bool has_own = std::any_of(tree.files.begin(), tree.files.end(),
                                   [&](const SourceText& file) { return is_own(file, tree.package); });
  std::vector<const SourceText*> own;
  const SourceText* top = nullptr;
  for (const SourceText& source : tree.files) {
    if (has_own && !is_own(source, tree.package)) continue;
    own.push_back(&source);
    const bool is_top = source.path.ends_with("__init__.py") && source.module.find('.') == std::string::npos;
    if (!has_own || !is_top) continue;
    if (top) {
      throw InputError(InputLocation{tree.path},
                       fmt::format("holds {} more than once ({} and {}); give the path of one", source.module,
                                   top->path, source.path));
    }
    top = &source;
  }
  return own;
}

bool has_same_parameters(const Signature& a, const Signature& b) {
  return std::ranges::equal(a.parameters, b.parameters, {}, &SignatureParameter::name, &SignatureParameter::name);
}

// The layout of log-sum-exp and the kinds of values are the extension's: no Python source tells them, the table does.
void take_from_table(Provider& provider) {
  const SignatureTable& table = shipped_signatures();
  const bool is_known = same_package(provider.package, table.package) && provider.version && !provider.stated &&
                        *provider.version >= table.versions.front() &&
                        provider.version->release <= table.versions.back().release;
  if (!is_known) return;
  const Provider known = table.at(*provider.version);
  for (Signature& signature : provider.signatures) {
    const Signature* const same = known.find(signature.module, signature.name);
    if (!same) continue;
    signature.lse_layout = same->lse_layout;
    // What an extension gives back.
    if (signature.returns.empty() && has_same_parameters(signature, *same)) {
      signature.returns = same->returns;
      signature.flag = same->flag;
      signature.flagged = same->flagged;
    }
    for (SignatureParameter& one : signature.parameters) {
      one.values = table.values_of(one.name);
      const auto known_one = std::ranges::find(same->parameters, one.name, &SignatureParameter::name);
      one.takes_place_of_truth = known_one != same->parameters.end() && known_one->takes_place_of_truth;
    }
  }
}

Provider provider_of(const SourceTree& tree, const std::string& version) {
  Provider provider;
  provider.package = tree.package;
  provider.sources = tree.path;
  find_version(tree, version, provider);
  const std::vector<PythonFile> files = read_python(own_files(tree));
  provider.names = names_of_modules(tree, files);
  for (const PythonFile& file : files) {
    for (Signature& signature : read_signatures(file)) {
      signature.module = file.module;
      provider.signatures.push_back(std::move(signature));
    }
  }
  if (provider.signatures.empty()) throw InputError(InputLocation{tree.path}, "defines no function (def)");
  if (provider.package.empty()) {
    const std::string& module = provider.signatures[0].module;
    provider.package = module.substr(0, module.find('.'));
  }
  take_from_table(provider);
  provider.name = provider.package + (provider.version ? " " + provider.version->text : "");
  return provider;
}

}  // namespace

const std::map<std::string, std::string>& renamed_by_flash_attn_2() {
  static const std::map<std::string, std::string> names = {
      {"flash_attn_unpadded_func", "flash_attn_varlen_func"},
      {"flash_attn_unpadded_qkvpacked_func", "flash_attn_varlen_qkvpacked_func"},
      {"flash_attn_unpadded_kvpacked_func", "flash_attn_varlen_kvpacked_func"}};
  return names;
}

const Signature* Provider::find(const std::string& module, const std::string& function) const {
  for (const Signature& signature : signatures) {
    if (signature.name == function && (module.empty() || signature.module == module)) return &signature;
  }
  return nullptr;
}

ProviderView Provider::view() const {
  ProviderView view;
  view.package = package;
  view.version = version;
  view.stated = stated;
  view.names = names;
  for (const Signature& signature : signatures) {
    view.modules[signature.module].insert(signature.name);
    if (signature.flag.empty() && signature.returns.size() > 1) {
      view.returns[signature.module + "." + signature.name] = signature.returns;
    }
    std::vector<std::string>& names = view.parameters[signature.module + "." + signature.name];
    for (const SignatureParameter& one : signature.parameters) {
      names.push_back(one.name);
      view.defaults[signature.module + "." + signature.name].push_back(one.default_text);
      const bool is_any =
          one.kind == SignatureParameter::Kind::AnyPositional || one.kind == SignatureParameter::Kind::AnyKeyword;
      if (is_any) view.takes_any.insert(signature.module + "." + signature.name);
    }
  }
  if (!from_table) return view;
  for (const auto& [old, renamed] : renamed_by_flash_attn_2()) view.other_names.insert(old);
  for (const auto& changes : shipped_signatures().functions) {
    const std::string& name = changes.front().signature.name;
    if (!find("", name)) view.other_names.insert(name);
  }
  return view;
}

Provider SignatureTable::at(const PackageVersion& version) const {
  Provider provider;
  provider.package = package;
  provider.version = version;
  provider.name = package + " " + version.text;
  provider.from_table = true;
  for (const std::vector<Change>& changes : functions) {
    const Change* last = nullptr;
    for (const Change& change : changes) {
      if (change.from <= version) last = &change;
    }
    if (last) provider.signatures.push_back(last->signature);
  }
  return provider;
}

Provider SignatureTable::at(const std::string& version) const {
  const std::optional<PackageVersion> wanted = parse_version(version);
  const PackageVersion* nearest = &versions.front();
  for (const PackageVersion& one : versions) {
    if (wanted && one == *wanted) return at(one);
    if (wanted && one < *wanted) nearest = &one;
  }
  throw InputError("--provider: the table does not know " + package + " " + version + "; it knows " +
                   versions.front().text + " to " + versions.back().text +
                   (wanted ? ", the nearest below is " + nearest->text : ""));
}

Vocabulary SignatureTable::vocabulary(const std::string& function) const {
  Vocabulary names;
  for (const std::vector<Change>& changes : functions) {
    for (const Change& change : changes) {
      if (change.signature.name != function) continue;
      add_names(change.signature, names);
    }
  }
  return names;
}

ValueKind SignatureTable::values_of(const std::string& parameter) const {
  const auto found = values.find(parameter);
  return found == values.end() ? ValueKind::Any : found->second;
}

const SignatureTable& shipped_signatures() {
  static const SignatureTable table = read_table();
  return table;
}

Provider load_provider(const std::string& spec, const std::string& version) {
  const size_t equals = spec.find("==");
  if (equals == std::string::npos) return provider_of(read_source_tree(spec), version);
  const SignatureTable& table = shipped_signatures();
  const std::string package = spec.substr(0, equals);
  if (!same_package(package, table.package)) {
    throw InputError("--provider: no table ships for \"" + package + "\", only for " + table.package +
                     "; give the path of its sources");
  }
  if (!version.empty()) throw InputError("--provider-version: --provider says the version already");
  return table.at(spec.substr(equals + 2));
}

}  // namespace ropewalk::compat
