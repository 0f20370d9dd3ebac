// Any bytes as .npy: they are refused with one line, or read, written, read again and found the same.
#include "lib/base/error.h"
#include "lib/tensor/npy.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  Array array;
  try {
    array = read_npy(std::as_bytes(std::span(data, size)), "input.npy");
  } catch (const InputError& error) {
    require_message(error.what(), "input.npy");
    return 0;
  }
  require(array.bytes.size() == u64(array.count()) * size_of(array.dtype), "bytes do not fit the shape", "");
  const std::string written = write_npy(array);
  const Array again = read_npy(std::as_bytes(std::span(written)), "written.npy");
  require(again.dtype == array.dtype && again.shape == array.shape && again.bytes == array.bytes,
          "the written array reads as another one", written);
  return 0;
}
