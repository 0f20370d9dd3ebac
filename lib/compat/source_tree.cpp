#include "lib/compat/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/base/types.h"
#include "lib/compat/tar.h"
#include "lib/tensor/zip.h"

namespace ropewalk::compat {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;  // by path

constexpr size_t most_files = 20000;

bool is_metadata(const std::string& name) {
  return name.ends_with("/PKG-INFO") || name == "PKG-INFO" || name.ends_with(".dist-info/METADATA");
}
bool is_compiled(const std::string& name) { return name.ends_with(".so") || name.ends_with(".pyd"); }
bool is_wanted(const std::string& name) { return name.ends_with(".py") || is_metadata(name); }

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// "Name: flash-attn" of a package's metadata.
std::string metadata_field(const std::string& text, const std::string& key) {
  const std::string lines = "\n" + text.substr(0, text.find("\n\n"));
  const size_t at = lines.find("\n" + key + ": ");
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size() + 3;
  std::string value = lines.substr(begin, lines.find('\n', begin) - begin);
  while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) value.pop_back();
  return value;
}

// "2.6.3" of `__version__ = "2.6.3"` at the beginning of a line.
std::string version_in(const std::string& text) {
  const std::string lines = "\n" + text;
  const size_t at = lines.find("\n__version__");
  if (at == std::string::npos) return "";
  const std::string line = lines.substr(at + 1, lines.find('\n', at + 1) - at - 1);
  const size_t open = line.find_first_of("\"'");
  if (open == std::string::npos) return "";
  const size_t close = line.find(line[open], open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

// A package's name as registries spell it: "flash-attn" of flash_attn.
std::string plain_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// The folder above the topmost package that the file is in.
std::string package_root(const std::string& path, const Texts& texts) {
  std::string folder = folder_of(path);
  while (!folder.empty() && texts.count(folder + "/__init__.py")) folder = folder_of(folder);
  return folder;
}

std::string module_of(const std::string& path, const std::string& root) {
  std::string name = path.substr(root.empty() ? 0 : root.size() + 1);
  name.erase(name.size() - 3);
  if (name.ends_with("/__init__")) name.erase(name.size() - 9);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

SourceTree tree_of(const std::string& path, const Texts& texts) {
  SourceTree tree;
  tree.path = path;
  for (const auto& [name, text] : texts) {
    if (is_metadata(name)) {
      if (tree.package.empty()) {
        tree.package = plain_name(metadata_field(text, "Name"));
        tree.version = metadata_field(text, "Version");
      }
      continue;
    }
    if (is_compiled(name)) {
      tree.compiled.push_back(name);
      continue;
    }
    const std::string root = package_root(name, texts);
    tree.files.push_back({name, module_of(name, root), text});
  }
  if (tree.files.empty()) throw InputError(InputLocation{path}, "holds no Python source (.py)");
  for (const SourceText& file : tree.files) {
    const bool top = file.path.ends_with("__init__.py") && file.module.find('.') == std::string::npos;
    if (!top) continue;
    if (tree.package.empty()) tree.package = plain_name(file.module);
    const bool own = tree.package.size() == file.module.size();  // flash-attn and flash_attn differ in a sign only
    if (tree.stated.empty() && own) tree.stated = version_in(file.text);
  }
  if (tree.version.empty()) tree.version = tree.stated;
  return tree;
}

Texts read_folder(const std::string& path) {
  Texts texts;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
       at != end && !error; at.increment(error)) {
    const std::string name = at->path().generic_string();
    if (is_compiled(name)) texts[name] = "";
    if (!at->is_regular_file(error) || !is_wanted(name)) continue;
    if (texts.size() >= most_files) throw InputError(InputLocation{path}, "holds more than 20000 Python files");
    texts[name] = MappedFile(name).text();
  }
  if (error) throw InputError(InputLocation{path}, "cannot be read: " + error.message());
  return texts;
}

// A file alone; the packages that it is in are found by their __init__.py above it.
Texts read_one(const std::string& path) {
  Texts texts;
  texts[path] = MappedFile(path).text();
  for (std::string folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
    const std::string init = folder + "/__init__.py";
    if (!fs::exists(init)) break;
    texts[init] = MappedFile(init).text();
  }
  return texts;
}

}  // namespace

std::string root_of(const std::string& path, const std::string& module) {
  const std::string end = path.ends_with("/__init__.py") ? "/__init__.py" : ".py";
  return path.substr(0, path.size() - std::min(path.size(), module.size() + end.size()));
}

std::optional<SourceText> read_neighbour(const SourceText& file, const std::string& module) {
  std::string name = module;
  std::replace(name.begin(), name.end(), '.', '/');
  for (const char* end : {".py", "/__init__.py"}) {
    const std::string path = root_of(file.path, file.module) + name + end;
    std::error_code error;
    if (module.empty() || !fs::is_regular_file(path, error)) continue;
    return SourceText{path, module, std::string(MappedFile(path).text())};
  }
  return std::nullopt;
}

SourceTree read_source_tree(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return tree_of(path, read_folder(fs::path(path).lexically_normal().generic_string()));
  if (path.ends_with(".py")) return tree_of(path, read_one(path));
  Texts texts;
  const MappedFile file(path);
  if (path.ends_with(".whl") || path.ends_with(".zip")) {
    const ZipArchive archive(file.bytes(), path);
    for (const std::string& name : archive.names()) {
      if (is_compiled(name)) texts[name] = "";
      if (!is_wanted(name)) continue;
      const std::vector<std::byte> bytes = archive.load(name);
      texts[name] = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  } else if (path.ends_with(".tar.gz") || path.ends_with(".tgz")) {
    texts = read_tar_gz(file.bytes(), path, is_wanted);
  } else {
    throw InputError(InputLocation{path},
                     "expected a .py file, a folder, a wheel (.whl), a .zip or a source archive (.tar.gz)");
  }
  return tree_of(path, texts);
}

}  // namespace ropewalk::compat
