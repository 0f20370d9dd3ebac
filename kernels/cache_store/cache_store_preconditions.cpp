#include "kernels/cache_store/cache_store_preconditions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/reasons.h"

namespace ropewalk::kernels {

using cache_store::CacheStoreProblem;

namespace {

constexpr i64 most_int = (i64(1) << 31) - 1;
constexpr i64 most_counted = i64(1) << 20;  // of tokens, slots, heads and columns
constexpr i64 most_bytes = i64(1) << 40;    // of one tensor

class StoreReasons : ReasonList {
 public:
  StoreReasons(const CacheStoreProblem& problem, const CacheStoreTakes& takes) : problem_(problem), takes_(takes) {}

  std::vector<std::string> all() {
    sizes();
    dtypes();
    scales();
    layout();
    if (reasons_.empty()) lists();
    if (reasons_.empty()) volume();
    return std::move(reasons_);
  }

 private:
  void sizes() {
    const CacheStoreProblem& p = problem_;
    between("T", p.tokens, 1, most_counted);
    between("H", p.heads, 1, most_counted);
    between("D", p.head_dim, 1, most_counted);
    between("query_heads", p.query_heads, 0, most_counted);
    between("padding", p.padding, 0, most_counted);
    between("slots", p.slots, 0, most_counted);
    between("page_size", p.page_size, 0, most_counted);
    between("token_gap", p.token_gap, 0, most_int);
    between("page_gap", p.page_gap, 0, most_int);
  }

  void dtypes() {
    const Dtype dtype = problem_.dtype, cache = problem_.dtype_of_cache();
    if (dtype != Dtype::F32 && dtype != Dtype::F16 && dtype != Dtype::BF16) {
      say("dtype is {}, kernels are there for f32, f16 and bf16", name_of(dtype));
    } else if (takes_.few && dtype != Dtype::F32) {
      say("dtype is {}, this kernel has entries for f32 alone", name_of(dtype));
    } else if (cache != dtype && cache != Dtype::F8E4M3) {
      say("cache_dtype is {}, it must be that of key and value, {}, or f8e4m3", name_of(cache), name_of(dtype));
    }
  }

  void scales() {
    for (const auto& [name, scale] : {std::pair{"k_scale", problem_.k_scale}, {"v_scale", problem_.v_scale}}) {
      if (!(scale >= 0x1p-20 && scale <= 0x1p20)) {
        say("{} is {}, it must be from 2^-20 to 2^20", name, scale);
      } else if (scale != 1 && problem_.dtype_of_cache() != Dtype::F8E4M3) {
        say("{} goes with cache_dtype=f8e4m3, and numbers are not scaled in {}", name,
            name_of(problem_.dtype_of_cache()));
      }
    }
  }

  void layout() {
    if (problem_.page_size == 0 && problem_.layout != cache_store::CacheLayout::Nhd)
      say("layout is {}, a cache without pages has one layout: [slots, H, D]", cache_store::name_of(problem_.layout));
  }

  void lists() {
    if (takes_.copies) {
      copies();
    } else if (problem_.is_copy()) {
      say("copies are given, this kernel stores tokens");
    } else if (problem_.slot_mapping.empty()) {
      if (problem_.tokens > problem_.pages() * problem_.tokens_of_page())
        say("{} tokens are more than the {} slots", problem_.tokens, problem_.pages() * problem_.tokens_of_page());
    } else {
      slots();
    }
  }

  void slots() {
    const std::vector<i64>& mapping = problem_.slot_mapping;
    if (i64(mapping.size()) != problem_.tokens) {
      say("slot_mapping has {} entries, it must have one for each of {} tokens", mapping.size(), problem_.tokens);
      return;
    }
    const i64 last =
        takes_.checks_lists && problem_.slots ? problem_.pages() * problem_.tokens_of_page() - 1 : most_counted - 1;
    std::map<i64, u64> first_of;
    for (u64 n = 0; n < mapping.size(); ++n) {
      if (mapping[n] < -1 || mapping[n] > last) {
        say("slot_mapping[{}] is {}, it must be -1 (not stored) or one of the slots 0 to {}", n, mapping[n], last);
        return;
      }
      const auto [first, is_new] = first_of.try_emplace(mapping[n], n);
      if (!takes_.checks_lists || mapping[n] < 0 || is_new) continue;
      say("slot_mapping[{}] and slot_mapping[{}] are both {}: two tokens cannot have one slot", first->second, n,
          mapping[n]);
      return;
    }
  }

  void copies() {
    const std::vector<i64>& copies = problem_.copies;
    if (copies.empty()) say("copies are missing: this kernel copies pages");
    if (copies.size() % 2) say("copies has {} entries, it must have two for each pair of pages", copies.size());
    const i64 most = most_counted / problem_.tokens_of_page();
    const i64 last = takes_.checks_lists && problem_.slots ? problem_.pages() - 1 : most - 1;
    for (u64 n = 0; n < copies.size() && reasons_.empty(); ++n) {
      if (copies[n] < 0 || copies[n] > last) say("copies[{}] is {}, there are pages 0 to {}", n, copies[n], last);
      for (u64 other = 1; takes_.checks_lists && other < copies.size() && reasons_.empty(); other += 2) {
        if (other == n || copies[other] != copies[n]) continue;
        say("page {} is written by pair {} and {} by pair {}: all pairs are copied at once", copies[n], other / 2,
            n % 2 ? "written" : "read", n / 2);
      }
    }
  }

  // After all else was found good.
  void volume() {
    const CacheStoreProblem& p = problem_;
    if (__int128(p.tokens_of_page()) * p.heads * p.head_dim > most_int) {
      say("a page has more than the {} elements that kernels count", most_int);
      return;
    }
    const __int128 tokens = __int128(p.tokens + p.padding) * p.token_stride();
    if (std::max(tokens, __int128(p.pages()) * p.page_stride()) * 4 > most_bytes)
      say("a tensor is larger than 2^40 bytes, the largest that is kept apart from its neighbours");
  }

  const CacheStoreProblem& problem_;
  const CacheStoreTakes& takes_;
};

}  // namespace

std::vector<std::string> cache_store_reasons(const CacheStoreProblem& problem, const CacheStoreTakes& takes) {
  return StoreReasons(problem, takes).all();
}

}  // namespace ropewalk::kernels
