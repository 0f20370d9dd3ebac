// How the paths of sources are reported: seen from a root, so that a report means the same wherever the sources lay.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ropewalk {

// The folder of the git checkout that holds `path` (a file or a folder, there or not): the nearest one upwards that has
// a `.git`. Empty where there is none.
std::string checkout_of(const std::string& path);

// What of a path counts for the identity of a finding. Relative paths count whole. Of others, which lie outside of the
// root, counts what is the same on another machine: what follows "site-packages" (or "dist-packages") or the last
// "include", with that word, else the file's name.
std::string travelling_name(const std::string& path);

class SourcePaths {
 public:
  using Prefixes = std::vector<std::pair<std::string, std::string>>;  // FROM, TO

  // root: a folder; empty: nothing is made relative. A path whose first folders are FROM is reported with TO in their
  // place; of several that fit the longest counts.
  explicit SourcePaths(const std::string& root = "", Prefixes prefixes = {});

  // The path of a source, as a PTX file has it, as it is reported: mapped; relative to the root where it lies there, or
  // where it lay in another copy of the checkout (see other_checkouts); else as it is.
  std::string of_source(const std::string& path) const;
  // The same for a file that is opened here, whose relative path is seen from the working folder.
  std::string of_file(const std::string& path) const;

  const std::string& root() const { return root_; }
  // Folders outside of the root whose files were taken for those of the root: an absolute path that is not there, or is
  // there with the same bytes, and whose end is the path of a file under the root.
  std::vector<std::string> other_checkouts() const;
  // Each FROM that no absolute path so far began with, where there was one.
  std::vector<std::string> prefixes_without_paths() const;

 private:
  std::string relative_to_root(const std::string& path) const;
  std::string taken_for_ours(const std::string& path) const;

  std::string root_, true_root_;
  Prefixes prefixes_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> known_;  // absolute paths, as they are reported
  mutable std::vector<std::string> other_checkouts_;
  mutable std::set<std::string> fitting_;  // prefixes
  mutable bool has_absolute_paths_ = false;
};

}  // namespace ropewalk
