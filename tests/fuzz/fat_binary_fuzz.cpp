// Any bytes as a fat binary: they are refused with one line, or each entry is unpacked or refused with one line.
#include "lib/base/error.h"
#include "lib/ptx/fat_binary.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  try {
    for (const ptx::FatBinaryEntry& entry : ptx::read_fat_binary(std::as_bytes(std::span(data, size)), "input")) {
      try {
        const std::string bytes = ptx::unpack(entry, "input");
        require(bytes.size() <= entry.bytes, "more bytes than the entry says", bytes);
      } catch (const InputError& error) {
        require_message(error.what(), "input");
      }
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input");
  }
  return 0;
}
