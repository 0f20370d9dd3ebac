// Any bytes as .tar.gz: they are refused with one line, or the wanted members are read.
#include "lib/base/error.h"
#include "lib/compat/tar.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace ropewalk;
  using namespace ropewalk::compat;
  try {
    const auto is_python = [](const std::string& name) { return name.ends_with(".py"); };
    for (const auto& [name, text] : read_tar_gz(std::as_bytes(std::span(data, size)), "input.tar.gz", is_python)) {
      require(is_python(name), "a member that is not wanted", name);
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input.tar.gz");
  }
  return 0;
}
