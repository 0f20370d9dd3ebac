// Any bytes as .pt: they are refused with one line, or the tensors lie in the file. The bytes are also taken for the
// pickle alone, because a zip archive with a right checksum is seldom hit on.
#include "lib/base/error.h"
#include "lib/tensor/pickle.h"
#include "lib/tensor/torch_file.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  try {
    for (const TorchTensor& tensor : read_torch(bytes, "input.pt")) {
      require(tensor.data.size() == u64(element_count(tensor.shape)) * size_of(tensor.dtype),
              "bytes do not fit the shape", tensor.name);
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input.pt");
  }
  try {
    read_pickle(bytes, {"collections.OrderedDict", "torch.FloatStorage"}, "input.pt");
  } catch (const InputError& error) {
    require_message(error.what(), "input.pt");
  }
  return 0;
}
