#include "lib/tensor/npz.h"

#include <utility>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/tensor/npy.h"

namespace ropewalk {
namespace {

constexpr std::string_view suffix = ".npy";

}  // namespace

Npz::Npz(std::span<const std::byte> bytes, std::string path) : path_(std::move(path)), archive_(bytes, path_) {}

std::vector<std::string> Npz::names() const {
  std::vector<std::string> names = archive_.names();
  for (std::string& name : names) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return names;
}

Array Npz::load(std::string_view name) const {
  const std::string member = std::string(name) + std::string(suffix);
  const bool plain = !archive_.has(member);
  if (plain && !archive_.has(name)) {
    throw InputError(InputLocation{path_},
                     "has no array \"" + std::string(name) + "\", " + did_you_mean(name, names()));
  }
  return read_npy(archive_.load(plain ? std::string(name) : member), path_ + "(" + std::string(name) + ")");
}

}  // namespace ropewalk
