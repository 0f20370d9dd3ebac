// Any bytes as a case of a corpus: they are refused with one line, or read, written, read again and the same.
#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/campaign/case_file.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ropewalk;
  const std::string text(reinterpret_cast<const char*>(data), size);
  campaign::SavedCase kept;
  try {
    kept = campaign::read_case(text, "input.json", kernels::shipped_kernels());
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
    return 0;
  }
  const std::string written = campaign::case_text(kept, Finding{});
  try {
    require(campaign::read_case(written, "written.json", kernels::shipped_kernels()) == kept,
            "the written case reads as another one", written);
  } catch (const InputError& error) {
    require(false, error.what(), written);
  }
  require(!kernels::kernel_named(kept.kernel).name.empty(), "a case without a kernel", written);
  return 0;
}
