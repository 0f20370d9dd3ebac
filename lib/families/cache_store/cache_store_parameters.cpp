#include "lib/families/cache_store/cache_store_parameters.h"

#include <algorithm>

#include "lib/generate/space.h"

namespace ropewalk::cache_store {

using generate::drawn;
using generate::size_parameter;
using generate::word_parameter;

namespace {

using Store = CacheStoreProblem;
using StoreParameter = CacheStoreParameter;

// Now and then so wide that 32 bits do not hold the second row, where there are few.
StoreParameter store_gap(const std::string& name, i64 Store::*field) {
  StoreParameter parameter = size_parameter(name, field, {0, 8, 5}, 0, 40);
  parameter.set = [=, narrow = parameter.set](Store& problem, u32 value, Random& random) {
    constexpr i64 wide = (i64(1) << 31) - 16, most = 32;
    const bool few = problem.tokens + problem.padding <= most && problem.pages() <= most;
    if (value == drawn && few && random.below(8) == 0) {
      problem.*field = wide;
    } else {
      narrow(problem, value, random);
    }
  };
  return parameter;
}

StoreParameter dtype_of_keys(const std::vector<Dtype>& dtypes) {
  std::vector<std::string> names;
  for (const Dtype one : dtypes) names.emplace_back(name_of(one));
  return word_parameter<Store>("dtype", names, [=](Store& problem, u32 value) { problem.dtype = dtypes[value]; });
}

StoreParameter dtype_of_caches() {
  return word_parameter<Store>("cache_dtype", {"that of key", "f8e4m3"}, [](Store& problem, u32 value) {
    if (value) problem.cache_dtype = Dtype::F8E4M3;
  });
}

StoreParameter pair_of_scales() {
  return {"scales", {"1", "0.5 and 2", "0.03 for both"}, [](Store& problem, u32 value, Random& random) {
            if (!problem.cache_dtype) return;
            constexpr double listed[][2] = {{1, 1}, {0.5, 2}, {0.03, 0.03}};
            problem.k_scale = value == drawn ? double(random.between(1, 400)) / 100 : listed[value][0];
            problem.v_scale = value == drawn ? double(random.between(1, 400)) / 100 : listed[value][1];
          }};
}

StoreParameter cache_layout() {
  return word_parameter<Store>("layout", {"nhd", "hnd"}, [](Store& problem, u32 value) {
    problem.layout = CacheLayout(problem.page_size ? value : 0);
  });
}

StoreParameter kind_of_input() {
  return word_parameter<Store>("input", {"normal", "integers", "large"}, [](Store& problem, u32 value) {
    constexpr const char* words[] = {"normal", "integers", "large"};
    problem.input = words[value];
  });
}

// As many slots as tokens need, or some more.
StoreParameter room_for_tokens() {
  return {"slots", {"as needed", "1 to spare", "20 to spare"}, [](Store& problem, u32 value, Random& random) {
            constexpr i64 listed[] = {0, 1, 20};
            const i64 spare = value == drawn ? random.between(0, 40) : listed[value];
            problem.slots = spare ? problem.tokens + spare : 0;
          }};
}

// Slots in no order, or in one; some tokens, those at the end, or all of them have none.
StoreParameter mapping_of_tokens() {
  return {"slot_mapping",
          {"drawn", "in order", "in reverse", "some -1", "the last -1", "all -1"},
          [](Store& problem, u32 value, Random& random) {
            if (value == drawn) value = 3;
            if (value == 0) return;
            std::vector<i64> mapping = problem.slots_of_tokens();
            if (value == 1) std::ranges::sort(mapping);
            if (value == 2) std::ranges::sort(mapping, std::greater());
            const u64 end = value == 4 ? random.below(mapping.size()) : 0;
            for (u64 n = end; value >= 3 && n < mapping.size(); ++n) {
              if (value != 3 || random.below(3) == 0) mapping[n] = -1;
            }
            problem.slot_mapping = mapping;
          }};
}

StoreParameter heads_of_queries() {
  return {"query_heads", {"none", "H", "4 H", "1"}, [](Store& problem, u32 value, Random& random) {
            const i64 listed[] = {0, problem.heads, 4 * problem.heads, 1};
            problem.query_heads = value == drawn ? random.between(0, 12) : listed[value];
          }};
}

// One pair, pages to their neighbours, one page to several, or pages in no order.
StoreParameter copied_pages() {
  return {
      "copies", {"one", "to neighbours", "one to three", "drawn"}, [](Store& problem, u32 value, Random& random) {
        if (value == 0) problem.copies = {0, 1};
        if (value == 1) problem.copies = {0, 1, 2, 3, 5, 4};
        if (value == 2) problem.copies = {2, 0, 2, 1, 2, 4};
        if (value != 3 && value != drawn) return;
        const i64 pages = random.between(2, 12), written = random.between(1, pages - 1);
        problem.slots = 0;
        Store all = problem;
        all.tokens = all.slots = pages;
        all.page_size = 0;
        all.copies.clear();
        const std::vector<i64> order = all.slots_of_tokens();
        for (i64 n = 0; n < written; ++n)
          problem.copies.insert(problem.copies.end(), {order[u64(random.between(written, pages - 1))], order[u64(n)]});
      }};
}

StoreParameter pages_to_spare() {
  return {"spare_pages", {"0", "1"}, [](Store& problem, u32 value, Random& random) {
            const i64 spare = value == drawn ? random.between(0, 3) : value;
            if (spare) problem.slots = problem.room() + spare * problem.tokens_of_page();
          }};
}

}  // namespace

std::vector<CacheStoreParameter> append_parameters(const std::vector<Dtype>& dtypes) {
  return {size_parameter("T", &Store::tokens, {16, 1, 3, 5, 17, 33}, 1, 64),
          size_parameter("H", &Store::heads, {1, 2, 3, 8}, 1, 9),
          size_parameter("D", &Store::head_dim, {64, 2, 16, 33, 80, 128, 256}, 1, 130),
          size_parameter("page_size", &Store::page_size, {0, 16, 1, 5, 8}, 0, 20),
          cache_layout(),
          room_for_tokens(),
          mapping_of_tokens(),
          size_parameter("padding", &Store::padding, {0, 1, 5}, 0, 9),
          heads_of_queries(),
          store_gap("token_gap", &Store::token_gap),
          store_gap("page_gap", &Store::page_gap),
          dtype_of_keys(dtypes),
          dtype_of_caches(),
          pair_of_scales(),
          kind_of_input()};
}

std::vector<CacheStoreParameter> copy_parameters(const std::vector<Dtype>& dtypes) {
  return {size_parameter("H", &Store::heads, {1, 2, 3, 8}, 1, 9),
          size_parameter("D", &Store::head_dim, {64, 2, 16, 33, 80}, 1, 130),
          size_parameter("page_size", &Store::page_size, {16, 0, 1, 5}, 0, 20),
          cache_layout(),
          copied_pages(),
          pages_to_spare(),
          store_gap("page_gap", &Store::page_gap),
          dtype_of_keys(dtypes),
          dtype_of_caches(),
          kind_of_input()};
}

}  // namespace ropewalk::cache_store
