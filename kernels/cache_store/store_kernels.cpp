#include "kernels/cache_store/store_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "kernels/cache_store/arguments.h"
#include "kernels/launch_parts.h"
#include "lib/base/error.h"
#include "lib/families/cache_store/cache_store_family.h"

namespace ropewalk::kernels {

using cache_store::CacheStoreProblem;

namespace {

Init numbers_of(const CacheStoreProblem& p, Dtype dtype, const Shape& shape, u64 stream) {
  const Drawn drawn{dtype, p.seed, stream};
  constexpr i64 most_integers = i64(1) << 20;
  if (p.input == "integers" && element_count(shape) <= most_integers)
    return drawn_by(drawn, shape, [](u64 bits) { return float(i64(bits % 17) - 8); });
  // Large ones are within f16, and in part beyond f8e4m3.
  return drawn_normal(drawn, shape, p.input == "large" && dtype != Dtype::F8E4M3 ? 0x1p9 : 1);
}

// One region for each run of rows.
std::vector<Region> regions_of_rows(const std::string& name, std::vector<i64> rows, i64 columns) {
  std::vector<Region> regions;
  std::ranges::sort(rows);
  for (const i64 row : rows) {
    if (!regions.empty() && row < regions.back().last_row) continue;
    if (!regions.empty() && row == regions.back().last_row) {
      ++regions.back().last_row;
    } else {
      regions.push_back({name, row, row + 1, 0, columns});
    }
  }
  if (regions.empty()) regions.push_back({name, 0, 0, 0, columns});
  return regions;
}

// [pages, page_size, H, D], [pages, H, page_size, D] or [slots, H, D]; rows beside `rows` are in no region of it.
LaunchTensor cache_tensor(const CacheStoreProblem& p, const char* name, const std::vector<i64>& rows) {
  LaunchTensor tensor{
      name, p.dtype_of_cache(), {p.pages(), p.heads, p.head_dim}, {p.page_stride(), p.head_stride(), 1}};
  if (p.page_size) {
    const bool tokens_first = p.layout == cache_store::CacheLayout::Nhd;
    const auto at = i64(tokens_first ? 1 : 2);
    tensor.shape.insert(tensor.shape.begin() + at, p.page_size);
    tensor.strides.insert(tensor.strides.begin() + at, p.slot_stride());
  }
  tensor.init = Uninitialized{};
  tensor.output = true;
  tensor.finite = tensor.dtype != Dtype::F8E4M3;  // whose NaN is made of integers, and is found by comparing
  tensor.regions = regions_of_rows(name, rows, p.head_dim);
  return tensor;
}

LaunchTensor token_tensor(const CacheStoreProblem& p, const char* name, u64 stream) {
  LaunchTensor tensor{name, p.dtype, {p.tokens + p.padding, p.heads, p.head_dim}, {p.token_stride(), p.head_dim, 1}};
  tensor.init = numbers_of(p, p.dtype, tensor.shape, stream);
  if (p.padding) tensor.regions = {{name, 0, p.tokens * p.heads, 0, p.head_dim}};
  return tensor;
}

LaunchTensor list_of(const char* name, const std::vector<i64>& values, const Shape& shape) {
  LaunchTensor tensor{name, Dtype::I64, shape, contiguous_strides(shape)};
  tensor.init = given_integers(Dtype::I64, values);
  return tensor;
}

Launch store_launch(const PtxEntries& entries, const std::string& words) {
  Launch launch;
  launch.module = checked_in_module(entries.stem);
  launch.entry = fmt::format("{}_{}", entries.prefix, words);
  return launch;
}

// Lanes over columns, the rest of 128 threads over heads.
Dim3 block_for(i64 columns, i64 heads) {
  u32 lanes = 1;
  while (lanes < 128 && lanes < columns) lanes *= 2;
  u32 rows = 1;
  while (rows * lanes < 128 && rows < heads) rows *= 2;
  return {lanes, rows, 1};
}

Launch append_launch(const PtxEntries& entries, const CacheStoreProblem& p) {
  using A = CacheAppendArguments;
  Launch launch = store_launch(entries, fmt::format("{}_{}", name_of(p.dtype), name_of(p.dtype_of_cache())));
  const std::vector<i64> slots = p.slots_of_tokens();
  std::vector<i64> rows;
  for (const i64 slot : slots) {
    // A mapping that nobody looked at may name any slot.
    if (slot < 0 || slot >= p.pages() * p.tokens_of_page()) continue;
    for (i64 head = 0; head < p.heads; ++head) rows.push_back(p.row_of(slot, head));
  }
  const u32 key_cache = add_tensor(launch, cache_tensor(p, "key_cache", rows));
  const u32 value_cache = add_tensor(launch, cache_tensor(p, "value_cache", rows));
  const u32 key = add_tensor(launch, token_tensor(p, "key", 0));
  const u32 value = add_tensor(launch, token_tensor(p, "value", 1));
  const u32 mapping = add_tensor(launch, list_of("slot_mapping", slots, {p.tokens}));
  StructArgument packed{sizeof(A), {}};
  packed.parts = {{offsetof(A, slot_mapping), TensorArgument{mapping}},
                  {offsetof(A, tokens), argument_i32(p.tokens)},
                  {offsetof(A, rows), argument_i32(p.tokens + p.padding)},
                  {offsetof(A, heads), argument_i32(p.heads)},
                  {offsetof(A, query_heads), argument_i32(p.query_heads)},
                  {offsetof(A, head_dim), argument_i32(p.head_dim)},
                  {offsetof(A, page_size), argument_i32(p.tokens_of_page())},
                  {offsetof(A, dimension_1), argument_i32(p.page_size ? launch.tensors[key_cache].shape[1] : 1)},
                  {offsetof(A, k_scale), argument_f32(float(p.k_scale))},
                  {offsetof(A, v_scale), argument_f32(float(p.v_scale))},
                  {offsetof(A, key_token), argument_i64(p.token_stride())},
                  {offsetof(A, value_token), argument_i64(p.token_stride())},
                  {offsetof(A, cache_page), argument_i64(p.page_stride())},
                  {offsetof(A, cache_slot), argument_i64(p.slot_stride())},
                  {offsetof(A, cache_head), argument_i64(p.head_stride())}};
  launch.block = block_for(p.head_dim, p.heads);
  launch.grid = {u32(p.tokens + p.padding), 1, 1};
  launch.arguments = {TensorArgument{key_cache}, TensorArgument{value_cache}, TensorArgument{key},
                      TensorArgument{value}, packed};
  return launch;
}

Launch copy_launch(const PtxEntries& entries, const CacheStoreProblem& p) {
  using A = CacheCopyArguments;
  Launch launch = store_launch(entries, std::to_string(size_of(p.dtype_of_cache())));
  const i64 rows_of_page = p.page_elements() / p.head_dim;
  std::vector<i64> rows;
  for (const i64 page : p.copies) {
    for (i64 row = 0; page < p.pages() && row < rows_of_page; ++row) rows.push_back(page * rows_of_page + row);
  }
  const auto add_cache = [&](const char* name, u64 stream) {
    LaunchTensor tensor = cache_tensor(p, name, rows);
    tensor.init = numbers_of(p, tensor.dtype, tensor.shape, stream);
    return TensorArgument{add_tensor(launch, std::move(tensor))};
  };
  const TensorArgument key_cache = add_cache("key_cache", 0), value_cache = add_cache("value_cache", 1);
  const i64 pairs = i64(p.copies.size()) / 2;
  const u32 copies = add_tensor(launch, list_of("copies", p.copies, {pairs, 2}));
  StructArgument packed{sizeof(A), {}};
  packed.parts = {{offsetof(A, copies), TensorArgument{copies}},
                  {offsetof(A, pairs), argument_i32(pairs)},
                  {offsetof(A, page_elements), argument_i32(p.page_elements())},
                  {offsetof(A, cache_page), argument_i64(p.page_stride())}};
  launch.block = block_for(p.page_elements(), 1);
  launch.grid = {u32(pairs), 1, 1};
  launch.arguments = {key_cache, value_cache, packed};
  return launch;
}

const CacheStoreProblem& store_of(const Problem& problem, const std::string& kernel) {
  if (const auto* store = problem.as<CacheStoreProblem>()) return *store;
  throw InputError(fmt::format("{} answers cache-store problems, not {}", kernel, text_of(problem)));
}

}  // namespace

Kernel cache_store_kernel(const std::string& name, const std::string& description, const std::string& source,
                          const PtxEntries& entries, const CacheStoreTakes& takes, const std::string& counterpart) {
  Kernel kernel{name, description, source, &cache_store::family(), counterpart};
  kernel.reject = [=](const Problem& problem) { return cache_store_reasons(store_of(problem, name), takes); };
  kernel.launch = [=, reject = kernel.reject](const Problem& problem) {
    const auto reasons = reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    Launch launch = (takes.copies ? copy_launch : append_launch)(entries, store_of(problem, name));
    launch.kernel_name = name;
    return launch;
  };
  return kernel;
}

std::vector<Kernel> cache_store_kernels() {
  return {cache_store_kernel("cache-store/append", "stores keys and values of tokens in a KV cache, by slot_mapping",
                             "kernels/cache_store/append.cu", {"cache_store_append", "cache_append"}, {}, ""),
          cache_store_kernel("cache-store/copy", "copies pages inside of a KV cache", "kernels/cache_store/copy.cu",
                             {"cache_store_copy", "cache_copy"}, {.copies = true}, "")};
}

}  // namespace ropewalk::kernels
