#include "kernels/checked_in_ptx.h"

#include <zlib.h>

#include <map>
#include <mutex>
#include <string>

#include "lib/base/error.h"
#include "lib/ptx/read.h"

namespace ropewalk::kernels {
namespace {

std::string text_of(const EmbeddedPtx& kept) {
  std::string text(kept.size, '\0');
  uLongf size = text.size();
  const int status = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                                reinterpret_cast<const Bytef*>(kept.deflated.data()), kept.deflated.size());
  if (status != Z_OK || size != kept.size)
    throw InternalError("the checked-in PTX of " + std::string(kept.stem) + " is damaged");
  return text;
}

}  // namespace

std::shared_ptr<const ptx::Module> checked_in_module(std::string_view stem) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const ptx::Module>, std::less<>> modules;
  const std::lock_guard lock(mutex);
  if (const auto found = modules.find(stem); found != modules.end()) return found->second;
  for (const EmbeddedPtx& kept : embedded_ptx()) {
    if (kept.stem != stem) continue;
    auto module = std::make_shared<ptx::Module>(ptx::read(text_of(kept), "kernels/ptx/" + std::string(stem) + ".ptx"));
    return modules[std::string(stem)] = std::move(module);
  }
  throw InternalError("no checked-in PTX has the stem " + std::string(stem));
}

}  // namespace ropewalk::kernels
