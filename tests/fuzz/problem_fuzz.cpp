// Any bytes as the text of a problem: they are refused with one line, or read, printed and read again the same; and
// every kernel's preconditions say whether they allow the problem, whatever the numbers are.
#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ropewalk;
  try {
    const Problem problem = families::parse_problem({reinterpret_cast<const char*>(data), size});
    const std::string text = text_of(problem);
    require(families::parse_problem(text) == problem, "a problem is not what its print says", text);
    for (const Kernel& kernel : kernels::all_kernels()) {
      if (kernel.family->name != kind_of(problem)) continue;
      for (const std::string& reason : kernel.reject(problem))
        require(!reason.empty(), "rejected without a reason", text);
    }
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(!message.empty() && message.find('\n') == message.npos, "a message of none or several lines", message);
  }
  return 0;
}
