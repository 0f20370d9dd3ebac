// The PTX of a kernel that a trace saw.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/ptx/module.h"
#include "lib/trace/trace.h"

namespace ropewalk::trace {

struct FoundPtx {
  std::shared_ptr<const ptx::Module> module;  // null: none was found
  std::string from;                           // where it was found, or why it was not: a sentence
};

class PtxFinder {
 public:
  // `records`: the folder of the records; `folders`: where to look for .ptx files beside the modules themselves.
  // Triton's cache (TRITON_CACHE_DIR, else .triton/cache of the home folder) is always looked at.
  PtxFinder(std::string records, std::vector<std::string> folders);
  // In the module itself; else beside a cubin of the same bytes; else the only text that has a kernel of that name.
  FoundPtx find(const TracedLaunch& launch);
  // The PTX that a cache keeps beside a cubin of the same bytes: its path, "" where there is none.
  std::string beside_cubin(u64 bytes, u64 hash);

 private:
  void list();
  FoundPtx search(const TracedLaunch& launch);

  std::string records_;
  std::vector<std::string> folders_;
  bool is_listed_ = false;
  std::vector<std::string> ptx_, cubins_;  // paths
};

}  // namespace ropewalk::trace
