// A loaded image: its PTX, its variables, which live as long as it does, and its kernels.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/driver/kernel.h"
#include "lib/driver/memory.h"
#include "lib/driver/result.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

// A text of PTX, with what it is made for.
struct PtxImage {
  std::string text, name;
  u32 architecture = 0;  // 80: sm_80 or compute_80; 0: not given
  bool is_text = false;  // that the program hands over as it is
};

class Module {
 public:
  // The PTX is not read before something of it is asked for. Its variables are placed then.
  Module(Session& session, u32 device, PtxImage image);
  ~Module();
  Module(const Module&) = delete;

  // The text as a module. Throws InputError where it is no PTX.
  const std::shared_ptr<const ptx::Module>& ptx();
  // By name; nullptr where there is none. It lives as long as the module.
  Kernel* kernel(const std::string& name);
  std::vector<Kernel*> kernels();
  // A variable in memory, by name; nullptr where there is none.
  Allocation* variable(const std::string& name);
  // All variables in memory, by name.
  const std::map<std::string, Allocation*>& variables();
  u32 device() const { return device_; }
  const PtxImage& image() const { return image_; }

 private:
  void load();
  void place_variables();

  Session& session_;
  const u32 device_;
  PtxImage image_;
  std::shared_ptr<const ptx::Module> ptx_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::map<std::string, Allocation*> variables_;
};

// The PTX of an image that a program hands to the driver: PTX text, a fat binary (the best entry for the target is
// taken), or a cubin of a cache that keeps the PTX beside it. `name` names PTX text in messages. Throws InputError
// where there is none, with what would help.
PtxImage read_image(const void* image, const std::string& target, const std::string& name = "PTX of the program");
// An image in memory says itself how long it is. Throws InputError where that is more than the file has.
void expect_whole_image(std::string_view file, const std::string& name);

// Several as one. Throws InputError where they cannot be linked.
PtxImage linked(std::vector<PtxImage> images);

}  // namespace ropewalk::driver
