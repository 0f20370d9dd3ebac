// Any bytes as PTX: they are refused with one line, or read, written, read again and found the same.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/ptx/flow.h"
#include "lib/ptx/provenance.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace {

using namespace ropewalk;

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

void check_message(const std::string& message) {
  require(message.rfind("input.ptx:", 0) == 0 && message.find('\n') == std::string::npos,
          "a message without a location or with more than one line", message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  ptx::Module module;
  try {
    module = ptx::read({reinterpret_cast<const char*>(data), size}, "input.ptx");
  } catch (const InputError& error) {
    check_message(error.what());
    return 0;
  }
  const std::string text = ptx::write(module);
  try {
    require(same(module, ptx::read(text, "written.ptx")), "the written text reads as another module", text);
  } catch (const InputError& error) {
    require(false, error.what(), text);
  }
  for (const ptx::Function& function : module.functions) {
    const ptx::Flow flow = ptx::flow_of(module, function);
    require(flow.post_dominator.size() == flow.blocks.size(), "blocks without post-dominator", text);
    require(ptx::address_origins(module, function).size() == function.instructions.size(),
            "instructions without origin", text);
  }
  return 0;
}
