#include "lib/compat/caller.h"

#include <algorithm>
#include <deque>
#include <map>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/base/nearest.h"
#include "lib/compat/call_table.h"
#include "lib/compat/lse_layout.h"
#include "lib/compat/other_modules.h"
#include "lib/compat/other_packages.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/relevant.h"
#include "lib/compat/source_tree.h"
#include "lib/compat/tables.h"
#include "lib/compat/words_of_text.h"

namespace ropewalk::compat {
namespace {

// The versions that a source's conditions compare with: between two of them its calls are the same.
std::set<PackageVersion> thresholds_of(const PythonFile& file) {
  std::set<PackageVersion> all;
  for (const PythonNode& statement : file.statements) {
    visit_nodes(statement, [&](const PythonNode& node) {
      const auto version = node.is("Text") ? parse_version(node.word) : version_in_name(node.word);
      if (version) all.insert(*version);
    });
  }
  return all;
}

// The provider's modules and functions, and the version that it states.
std::string names_of(const ProviderView& view) {
  std::string names = (view.stated ? view.stated->text : "") + (view.names.empty() ? "" : "sources");
  for (const auto& [module, functions] : view.modules) {
    names += "\n" + module;
    for (const std::string& function : functions) names += " " + function;
  }
  return names;
}

// The files of a caller's package, each read when it is asked for.
class CallingPackage {
 public:
  explicit CallingPackage(SourceTree tree) : tree_(std::move(tree)) {
    for (const SourceText& source : tree_.files) by_module_[source.module].push_back(&source);
  }
  const SourceTree& tree() const { return tree_; }

  void read(const std::vector<const SourceText*>& sources) {
    std::vector<UnreadablePython> unreadable;
    std::vector<PythonFile> files = read_python(sources, unreadable);
    for (const UnreadablePython& one : unreadable) {
      if (one.location.file == tree_.path) throw InputError(one.location, one.why);
      unreadable_.emplace_back(InputError(one.location, one.why).what(), one.location.file);
    }
    for (size_t n = 0; n < files.size(); ++n) {
      files_[sources[n]] = std::make_unique<PythonFile>(std::move(files[n]));
    }
  }
  const PythonFile& file(const SourceText& source) { return *files_.at(&source); }
  // Null where the package has no such module, or several and none beside the file that asks for it.
  const PythonFile* find(const PythonFile& from, const std::string& module) {
    std::vector<const SourceText*>& found = by_module_[module];
    // What lies beside it in a folder of installed packages may be all that there is.
    const bool is_own = module.substr(0, module.find('.')) == from.module.substr(0, from.module.find('.'));
    if (found.empty() && is_one_file() && (is_own || !knows_no_version(module))) {
      const auto beside = read_neighbour({from.path, from.module, ""}, module);
      if (beside) found.push_back(beside_.emplace_back(std::make_unique<SourceText>(*beside)).get());
    }
    const SourceText* source = found.size() == 1 ? found[0] : nullptr;
    for (const SourceText* one : found) {
      if (root_of(one->path, one->module) == root_of(from.path, from.module)) source = one;
    }
    if (!source) return nullptr;
    if (!files_.count(source)) read({source});
    return files_.at(source).get();
  }
  // The caller is one file: the modules around it are read when it asks for them.
  bool is_one_file() const { return tree_.path.ends_with(".py"); }
  // What is wrong, and in which file: those have no statements.
  const std::vector<std::pair<std::string, std::string>>& unreadable() const { return unreadable_; }
  bool is_named_elsewhere(const std::string& name, const SourceText& source) const {
    return std::any_of(tree_.files.begin(), tree_.files.end(), [&](const SourceText& other) {
      return &other != &source && other.text.find(name) != std::string::npos;
    });
  }

  // See IsWrittenElsewhere.
  bool writes(const PythonFile& file, const std::string& name) {
    const auto [known, is_new] = written_.try_emplace({&file, name}, false);
    if (!is_new) return known->second;
    // Of a class's attribute the class, else the module, is named where it is written.
    const size_t dot = name.rfind('.');
    const std::string attribute = name.substr(dot + 1);
    const std::string owner =
        dot != std::string::npos ? name.substr(0, dot) : file.module.substr(file.module.rfind('.') + 1);
    known->second = std::ranges::any_of(tree_.files, [&](const SourceText& other) {
      return other.path != file.path && gives_attribute(other.text, attribute) && has_word(other.text, owner);
    });
    return known->second;
  }

 private:
  SourceTree tree_;
  std::map<std::pair<const PythonFile*, std::string>, bool> written_;
  std::vector<std::unique_ptr<SourceText>> beside_;
  std::map<std::string, std::vector<const SourceText*>> by_module_;
  std::map<const SourceText*, std::unique_ptr<PythonFile>> files_;
  std::vector<std::pair<std::string, std::string>> unreadable_;
};

// A file of a caller's source that names the provider, with what was read of its calls.
class CallingFile {
 public:
  CallingFile(CallingPackage& package, const SourceText& source)
      : file_(package.file(source)),
        order_(file_, [&](const std::string& name) { return package.is_named_elsewhere(name, source); }),
        thresholds_(thresholds_of(file_)) {}
  const PythonFile& file() const { return file_; }

  const CallsRead& calls_of(const OwnModules& modules) {
    const ProviderView& view = modules.provider();
    std::string key;
    for (const PackageVersion& one : thresholds_) {
      key += !view.version ? '?' : *view.version < one ? '<' : *view.version == one ? '=' : '>';
    }
    // A version that is compared as a text, or taken apart, may fall between any two others.
    if (more_than_order_ && view.version) key = view.version->text;
    key += names_of(view);
    // Names of other modules may differ where the order of the versions does not.
    const auto is_same = [&](const CallsRead& read) {
      return std::ranges::all_of(read.versions.imported, [&](const auto& one) {
        return modules.resolved(one.second.first) == one.second.second;
      });
    };
    std::deque<CallsRead>& known = read_[key];
    const auto found = std::ranges::find_if(known, is_same);
    if (found != known.end()) return *found;
    CallsRead& read = known.emplace_back(read_calls(file_, order_, modules));
    more_than_order_ = more_than_order_ || read.versions.more_than_order;
    return read;
  }

 private:
  const PythonFile& file_;
  CallOrder order_;
  std::set<PackageVersion> thresholds_;
  bool more_than_order_ = false;
  std::map<std::string, std::deque<CallsRead>> read_;  // by what tells versions apart
};

class SourceCaller : public Caller {
 public:
  SourceCaller(SourceTree tree, const Provider& provider) : package_(std::move(tree)) {
    // Its modules, and its functions: another module may hand them on.
    std::set<std::string> words;
    for (const auto& [module, functions] : provider.view().modules) {
      words.insert(module.substr(0, module.find('.')));
      words.insert(functions.begin(), functions.end());
    }
    const auto& sources = package_.tree().files;
    std::set<const SourceText*> taken;
    for (size_t known = ~size_t(0); known != words.size();) {
      known = words.size();
      std::vector<const SourceText*> named;
      for (const SourceText& source : sources) {
        const auto is_named = [&](const std::string& word) { return has_word(source.text, word); };
        const bool is_asked_for = source.path == package_.tree().path;
        if (taken.count(&source) || (!is_asked_for && std::ranges::none_of(words, is_named))) continue;
        named.push_back(&source);
        taken.insert(&source);
      }
      package_.read(named);
      // A file may give them other names, and others import these from it.
      if (!package_.is_one_file()) add_handed_on(named, provider.view(), words);
    }
    for (const SourceText& source : sources) {
      if (taken.count(&source)) files_.push_back(std::make_unique<CallingFile>(package_, source));
    }
  }

  std::string name() const override {
    const SourceTree& tree = package_.tree();
    if (tree.package.empty()) return tree.path;
    return tree.package + (tree.version.empty() ? "" : " " + tree.version);
  }

  CallerCalls calls_of(const Provider& provider) const override {
    CallerCalls out;
    const OwnModules& modules = modules_for(provider.view());
    std::vector<const PythonFile*> files;
    for (const auto& one : files_) {
      const PythonFile& file = one->file();
      files.push_back(&file);
      CallsRead read = one->calls_of(modules);
      tell_lse_layout(
          file, provider, [&](const ProviderView& other) { return one->calls_of(modules_for(other)).calls; }, read);
      out.missing.insert(out.missing.end(), read.missing.begin(), read.missing.end());
      out.lost.insert(out.lost.end(), read.lost.begin(), read.lost.end());
      for (Call& call : read.calls) out.calls.push_back(std::move(call));
      for (const std::string& remark : read.versions.texts) out.notes.push_back(remark);
      if (read.too_many_ways) out.notes.push_back(file.path + ": has too many ways through it; some were left out");
    }
    for (const std::string& note : notes_on_other_modules(files, provider)) out.notes.push_back(note);
    for (const auto& [why, file] : package_.unreadable()) out.unreadable.emplace_back(file, why);
    return out;
  }

 private:
  // Names that a file hands a function on by, where another file imports such a name.
  void add_handed_on(const std::vector<const SourceText*>& sources, const ProviderView& view,
                     std::set<std::string>& words) {
    for (const SourceText* source : sources) {
      for (const std::string& name : handed_on(package_.file(*source), view)) {
        const bool is_imported = std::ranges::any_of(package_.tree().files, [&](const SourceText& other) {
          return &other != source && has_word(other.text, name) && other.text.find("import") != std::string::npos;
        });
        if (is_imported) words.insert(name);
      }
    }
  }

  // What the package's modules are for one version of the provider.
  struct ForVersion {
    ProviderView view;
    OwnModules modules;
    ForVersion(ProviderView view, CallingPackage& package, const OwnModules* other)
        : view(std::move(view)),
          modules([&](const PythonFile& from, const std::string& name) { return package.find(from, name); }, this->view,
                  other, [&](const PythonFile& file, const std::string& name) { return package.writes(file, name); }) {}
  };
  const OwnModules& modules_for(ProviderView view) const {
    const std::string key = (view.version ? view.version->text : "") + names_of(view);
    std::unique_ptr<ForVersion>& known = versions_[key];
    if (known) return known->modules;
    known = std::make_unique<ForVersion>(std::move(view), package_, first_);
    if (!first_) first_ = &known->modules;
    return known->modules;
  }

  mutable CallingPackage package_;  // files are read when they are asked for
  mutable std::map<std::string, std::unique_ptr<ForVersion>> versions_;
  mutable const OwnModules* first_ = nullptr;
  std::vector<std::unique_ptr<CallingFile>> files_;
};

std::unique_ptr<Caller> load_json(const std::string& path) {
  const MappedFile file(path);
  const JsonCursor root(parse_json(file.text(), path), path);
  root.expect_keys({"schema", "caller", "from", "to", "calls"});
  root.expect_schema("ropewalk.calls/1");
  return read_call_table(root, root.at("caller").text(), path);
}

const JsonCursor& shipped_table() {
  constexpr const char* file = "transformer_engine.json";
  static const JsonCursor root(parse_json(transformer_engine_table(), file), file);
  return root;
}

std::unique_ptr<Caller> load_shipped(const std::string& package, const std::string& version) {
  const JsonCursor& root = shipped_table();
  if (!same_package(package, root.at("package").text())) {
    throw InputError("--caller: no table ships for \"" + package + "\", only for " + root.at("package").text() +
                     "; give the path of its sources");
  }
  const std::optional<PackageVersion> wanted = parse_version(version);
  std::vector<std::string> known;
  for (const JsonCursor& release : root.at("releases").elements()) {
    for (const JsonCursor& one : release.at("versions").elements()) {
      known.push_back(one.text());
      if (!wanted || *parse_version(one.text()) != *wanted) continue;
      return read_call_table(release, root.at("package").text() + " " + one.text(), root.at("file").text());
    }
  }
  throw InputError("--caller: the table does not know " + package + " " + version + "; it knows " + known.front() +
                   " to " + known.back() + ", the nearest is " + nearest_of(version, known));
}

}  // namespace

std::unique_ptr<Caller> load_caller(const std::string& spec, const Provider& provider) {
  const size_t equals = spec.find("==");
  if (equals != std::string::npos) return load_shipped(spec.substr(0, equals), spec.substr(equals + 2));
  if (spec.ends_with(".json")) return load_json(spec);
  return std::make_unique<SourceCaller>(read_source_tree(spec), provider);
}

std::vector<std::string> shipped_callers() {
  const JsonCursor& root = shipped_table();
  std::vector<std::string> all;
  for (const JsonCursor& release : root.at("releases").elements()) {
    for (const JsonCursor& version : release.at("versions").elements()) {
      all.push_back(root.at("package").text() + "==" + version.text());
    }
  }
  return all;
}

}  // namespace ropewalk::compat
