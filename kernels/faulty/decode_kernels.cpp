#include "kernels/faulty/decode_kernels.h"

#include <fmt/format.h>

#include "kernels/attention/decode_kernels.h"
#include "kernels/faulty/entry_prefix.h"

namespace ropewalk::kernels {
namespace {

DecodeKernel faulty_kernel(const std::string& file, const std::string& words) {
  return {{"attention_" + file, entry_prefix("attention_", words)}, true};
}

// A faulty form of decode.cu, or of merge.cu, by the file it is in and its name.
Kernel faulty_decode(const std::string& file, const std::string& words, const std::string& description) {
  return attention_decode_kernel("faulty/attention-" + words, description, faulty_source("attention_" + file),
                                 faulty_kernel(file, words), "attention/decode");
}
Kernel faulty_merge(const std::string& words, const std::string& description) {
  return attention_merge_kernel("faulty/attention-" + words, description, faulty_source("attention_parts"),
                                faulty_kernel("parts", words), "attention/merge");
}

// The kernel is the healthy one.
Kernel decode_without_preconditions() {
  DecodeKernel kernel{{"attention_decode"}, true};
  kernel.checks_tables = false;
  return attention_decode_kernel("faulty/attention-any-pages", "key lengths and the block table are taken as given",
                                 "kernels/attention/decode.cu", kernel, "attention/decode");
}

}  // namespace

std::vector<Kernel> faulty_decode_kernels() {
  return {
      faulty_decode("pages", "page-order", "the block table is not read, pages are taken in their order"),
      faulty_decode("pages", "page-row", "rows of the block table are taken to be as long as there are pages"),
      faulty_decode("pages", "page-tile", "the page is looked up once for 32 keys"),
      faulty_decode("pages", "page-int32", "a page is found by a product of 32-bit integers"),
      faulty_decode("pages", "page-tail", "v is loaded to the end of the last page"),
      faulty_decode("pages", "key-lengths", "every sequence is taken to have as many keys as there is room for"),
      decode_without_preconditions(),
      faulty_decode("parts", "split-range", "keys past the last whole part are in none"),
      faulty_decode("parts", "split-idle", "parts without keys are not written"),
      faulty_decode("parts", "split-sink", "each part counts the sink"),
      faulty_decode("parts", "split-bytes", "keys are dealt out by their bytes, which are counted in 32 bits"),
      faulty_merge("merge-mean", "all parts have the same weight"),
      faulty_merge("merge-base", "lse of the parts is taken to be in base 2"),
      faulty_merge("merge-empty", "parts without keys are counted as if their lse were 0"),
      faulty_merge("merge-nan", "rows that see no key in any part become NaN"),
      faulty_merge("merge-lanes", "parts after the 32nd are left out"),
  };
}

}  // namespace ropewalk::kernels
