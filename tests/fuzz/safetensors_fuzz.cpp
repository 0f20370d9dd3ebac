// Any bytes as safetensors: they are refused with one line, or the tensors fill the buffer and can be read.
#include "lib/base/error.h"
#include "lib/tensor/safetensors.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  try {
    const Safetensors file = Safetensors::parse(std::as_bytes(std::span(data, size)), "input.st");
    u64 covered = 0;
    for (const Safetensors::Entry& entry : file.entries()) {
      require(entry.begin == covered && entry.end >= entry.begin, "a hole or an overlap", entry.name);
      covered = entry.end;
      if (!entry.dtype) continue;
      const Array array = file.load(entry.name);
      require(array.bytes.size() == u64(array.count()) * size_of(array.dtype), "bytes do not fit the shape",
              entry.name);
    }
    require(covered <= size, "tensors past the end of the file", "");
  } catch (const InputError& error) {
    require_message(error.what(), "input.st");
  }
  return 0;
}
