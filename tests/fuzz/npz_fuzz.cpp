// Any bytes as .npz: they are refused with one line, or each array is read or refused with one line.
#include "lib/base/error.h"
#include "lib/tensor/npz.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  try {
    const Npz archive(std::as_bytes(std::span(data, size)), "input.npz");
    for (const std::string& name : archive.names()) {
      try {
        const Array array = archive.load(name);
        require(array.bytes.size() == u64(array.count()) * size_of(array.dtype), "bytes do not fit the shape", name);
      } catch (const InputError& error) {
        require_message(error.what(), "input.npz");
      }
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input.npz");
  }
  return 0;
}
