#include "kernels/faulty/cache_store_kernels.h"

#include "kernels/cache_store/store_kernels.h"
#include "kernels/faulty/entry_prefix.h"

namespace ropewalk::kernels {
namespace {

// A faulty form of append.cu, or of copy.cu, by the file that it is in and its name.
Kernel faulty_append(const std::string& file, const std::string& words, const std::string& description) {
  return cache_store_kernel("faulty/cache-store-" + words, description, faulty_source("cache_store_" + file),
                            {"cache_store_" + file, entry_prefix("cache_append_", words)}, {.few = true},
                            "cache-store/append");
}
Kernel faulty_copy(const std::string& words, const std::string& description) {
  return cache_store_kernel("faulty/cache-store-copy-" + words, description, faulty_source("cache_store_copies"),
                            {"cache_store_copies", entry_prefix("cache_copy_", words)}, {.copies = true, .few = true},
                            "cache-store/copy");
}

// The kernels are the correct ones.
Kernel append_without_preconditions() {
  return cache_store_kernel("faulty/cache-store-any-slots", "slot_mapping is taken as given",
                            "kernels/cache_store/append.cu", {"cache_store_append", "cache_append"},
                            {.checks_lists = false}, "cache-store/append");
}
Kernel copy_without_preconditions() {
  return cache_store_kernel("faulty/cache-store-copy-any-pages", "the pages that are copied are taken as given",
                            "kernels/cache_store/copy.cu", {"cache_store_copy", "cache_copy"},
                            {.copies = true, .checks_lists = false}, "cache-store/copy");
}

}  // namespace

std::vector<Kernel> faulty_cache_store_kernels() {
  return {
      faulty_append("slots", "slot-sign", "tokens of slot -1 are stored"),
      faulty_append("slots", "slot-as-page", "a slot is taken for the number of a page"),
      faulty_append("slots", "page-size", "page_size is taken from dimension 1 of the cache, whatever the layout"),
      faulty_append("slots", "padded-tokens", "all tokens of key and value are stored, and slot_mapping has fewer"),
      append_without_preconditions(),
      faulty_append("strides", "page-stride", "pages are taken to be as far apart as they have elements"),
      faulty_append("strides", "page-int32", "a page is found by a product of 32-bit integers"),
      faulty_append("strides", "tokens-first", "in a page tokens come first, whatever the layout"),
      faulty_append("strides", "heads-first", "in a page heads come first, whatever the layout"),
      faulty_append("strides", "packed-rows", "rows of key and value are taken to lie one after another"),
      faulty_append("strides", "query-heads", "key and value are gone through with the heads of q"),
      faulty_append("scales", "one-scale", "values are divided by k_scale"),
      faulty_append("scales", "unit-scale", "numbers are not divided by their scale"),
      faulty_append("scales", "no-saturation", "numbers beyond 448 become NaN in f8e4m3"),
      faulty_copy("to-source", "pages are copied to where they come from"),
      faulty_copy("stride", "pages are taken to be as far apart as they have elements"),
      copy_without_preconditions(),
  };
}

}  // namespace ropewalk::kernels
