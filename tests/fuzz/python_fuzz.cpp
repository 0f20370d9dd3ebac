// Any bytes as Python source: they are refused with one line that has a location, or their signatures and the calls
// that they make of a provider are reported, for versions on both sides of a version test.
#include "lib/base/error.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/signature.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace ropewalk;
  using namespace ropewalk::compat;
  try {
    const PythonFile file = read_python("input.py", std::string(reinterpret_cast<const char*>(data), size));
    for (const Signature& signature : read_signatures(file)) {
      require(!signature.name.empty() && signature.line > 0, "a function without a name or a line", text_of(signature));
    }
    const Definitions definitions({});
    const CallOrder order(file, [](const std::string& name) { return name.size() == 3; });
    for (const char* version : {"2.0.4", "2.6.3"}) {
      const ProviderView provider{
          "flash-attn", parse_version(version), {{"flash_attn.flash_attn_interface", {"_flash_attn_forward", "f"}}}};
      for (const Call& call : read_calls(file, provider, order, definitions).calls) {
        require(call.line > 0 && !call.function.empty(), "a call without a function or a line", call.function);
      }
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input.py");
  }
  return 0;
}
