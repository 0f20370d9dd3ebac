// The modules that the program loaded: the PTX in them, and what else there is to know them by.
#pragma once
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ptx/fat_binary.h"
#include "lib/trace/recorder/call_parameters.h"

namespace ropewalk::trace {

// Where a parameter lies among the bytes of all.
struct ParameterRange {
  u32 offset = 0, bytes = 0;
};

// A copy: a program may free what it loaded.
struct PackedPtx {
  std::vector<std::byte> bytes;
  ptx::FatBinaryEntry entry;  // its bytes are those above
};

struct Image {
  std::string kind;               // "ptx", "fatbin", "cubin" or "file"
  std::string path;               // of a file that the driver read itself
  u64 bytes = 0, hash = 0;        // of a cubin: its size and the FNV-1a hash of its bytes
  std::vector<std::string> ptx;   // the texts in it
  std::vector<PackedPtx> packed;  // texts of a fat binary that are compressed, until one of them is asked for
};

class Images {
 public:
  void loaded(Handle module, const void* image);
  void loaded_from(Handle module, const char* path);
  void unloaded(Handle module);
  // The parameters of the kernel as the PTX of some module declares them. False where none has it.
  bool parameters_of(const std::string& kernel, std::vector<ParameterRange>& to);
  // Writes the PTX that may hold the kernel into `folder` and says what there is: {"file", "kind", ...}. Null where no
  // module is known. `module` is the one that the kernel came with, or null.
  nlohmann::ordered_json json(const std::string& kernel, Handle module, const std::string& folder);

 private:
  void keep(Handle module, Image image);

  std::mutex mutex_;
  std::vector<Image> images_;
  std::map<Handle, std::size_t> of_module_;
  std::size_t kept_bytes_ = 0;
};

// What an image in memory is, with the PTX in it.
Image image_at(const void* image);
// The same of the bytes of a file, which may end anywhere.
Image image_of_file(std::string bytes);

// Where the parameters of the kernel lie, as this PTX declares them. False where it has no such kernel.
bool parameters_in_ptx(std::string_view ptx, std::string_view kernel, std::vector<ParameterRange>& to);

}  // namespace ropewalk::trace
