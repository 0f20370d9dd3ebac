// A problem of writing to a KV cache, in the field's terms, as plain data that prints itself and is read back from its
// print.
//
//   cache-store(T=5,H=2,D=64,page_size=16,slot_mapping=[3,-1,4,40,17],dtype=bf16,cache_dtype=f8e4m3,k_scale=0.5)
//   cache-store(T=1,H=2,D=64,page_size=16,copies=[0,3,1,2])
//
// Rows of key and value go to slots of a cache, as in vLLM's reshape_and_cache_flash (slot_mapping i64, -1 for tokens
// that are left out; key and value by the strides of a packed qkv row, and padded for CUDA graphs; the cache by the
// stride of its pages; fp8 by dividing by k_scale and v_scale), in SGLang's store_cache (a cache without pages) and in
// FlashInfer's append_paged_kv_cache (layouts NHD and HND). Or whole pages are copied inside of the cache, as in vLLM's
// copy_blocks. docs/cache-store.md names the threads.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/dtype.h"

namespace ropewalk::cache_store {

// What comes first in a page, as FlashInfer names it: tokens, [page_size, H, D], or heads, [H, page_size, D].
enum class CacheLayout : u8 { Nhd, Hnd };
std::string_view name_of(CacheLayout layout);

struct CacheStoreProblem {
  static constexpr std::string_view kind = "cache-store";
  i64 tokens = 16, heads = 1, head_dim = 64;  // key and value are [T + padding, H, D]
  i64 query_heads = 0;                        // heads of q in a packed row [q, k, v] of a token; 0: rows are not packed
  i64 token_gap = 0;                          // elements of poisoned padding between tokens of key and value
  i64 padding = 0;                            // tokens of key and value past the last that slot_mapping has
  i64 slots = 0;      // tokens that the cache has room for, rounded up to whole pages; 0: as many as needed
  i64 page_size = 0;  // tokens to a page; 0: a cache without pages, [slots, H, D]
  i64 page_gap = 0;   // elements of poisoned padding between pages, or slots of a cache without pages
  CacheLayout layout = CacheLayout::Nhd;
  Dtype dtype = Dtype::F32;          // of key and value
  std::optional<Dtype> cache_dtype;  // of the caches where it is another one: f8e4m3
  double k_scale = 1, v_scale = 1;   // numbers are divided by before they are rounded to f8e4m3
  std::vector<i64> slot_mapping;     // slot of each token, -1: none; empty: drawn from the seed, no slot twice
  std::vector<i64> copies;           // pages that are copied, [from, to, from, to, ...]; empty: tokens are stored
  u64 seed = 1;
  std::string input = "normal";  // normal, integers, large

  Dtype dtype_of_cache() const { return cache_dtype.value_or(dtype); }
  bool is_copy() const { return !copies.empty(); }
  i64 tokens_of_page() const { return page_size ? page_size : 1; }
  // As given, or as many as the tokens, the slots of slot_mapping and the pages of copies need; without whole pages.
  i64 room() const;
  // A cache without pages has one for each slot.
  i64 pages() const { return (room() + tokens_of_page() - 1) / tokens_of_page(); }
  // Elements of a page, and from the start of one page to the next.
  i64 page_elements() const { return tokens_of_page() * heads * head_dim; }
  i64 page_stride() const { return page_elements() + page_gap; }
  // Elements from one token of a page, and from one head, to the next.
  i64 slot_stride() const { return layout == CacheLayout::Nhd ? heads * head_dim : head_dim; }
  i64 head_stride() const { return layout == CacheLayout::Nhd ? head_dim : tokens_of_page() * head_dim; }
  // The row of the cache (all dimensions but the last) that a head of a slot is.
  i64 row_of(i64 slot, i64 head) const {
    if (layout == CacheLayout::Nhd) return slot * heads + head;
    return (slot / tokens_of_page() * heads + head) * tokens_of_page() + slot % tokens_of_page();
  }
  // Elements from one token of key or value to the next.
  i64 token_stride() const { return (query_heads ? query_heads + 2 * heads : heads) * head_dim + token_gap; }
  // The slot of each token: slot_mapping, or as drawn. Of problems that have as much room.
  std::vector<i64> slots_of_tokens() const;
  bool operator==(const CacheStoreProblem&) const = default;
};

// "cache-store(T=16,...)": every field that differs from the default, in a fixed order.
std::string text_of(const CacheStoreProblem& problem);
// Reads what text_of prints. Throws InputError that names the key and the nearest known one.
CacheStoreProblem parse_cache_store(std::string_view text);

}  // namespace ropewalk::cache_store
