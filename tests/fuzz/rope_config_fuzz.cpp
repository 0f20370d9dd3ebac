// Any text as config.json: it is refused with one line, or its formulas have words and finite frequencies.
#include <cmath>

#include "lib/base/error.h"
#include "lib/rope/read_config.h"
#include "lib/rope/words.h"
#include "reference/rope_table.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  using namespace ropewalk;
  using namespace ropewalk::rope;
  try {
    const RopeConfig config = read_rope_config(
        JsonCursor(parse_json({reinterpret_cast<const char*>(data), size}, "input.json"), "input.json"));
    require(!config.entries.empty(), "no formula", "");
    for (const RopeConfig::Entry& entry : config.entries) {
      require(!in_words(entry.formula).empty(), "no words", "");
      if (entry.formula.pairs() > 1024) continue;
      for (const double w : reference::rope_frequencies(entry.formula, 4096).frequency) {
        require(!std::isnan(w), "a frequency that is no number", in_words(entry.formula));
      }
    }
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
  }
  return 0;
}
