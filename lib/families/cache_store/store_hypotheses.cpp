#include "lib/families/cache_store/store_hypotheses.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "lib/base/half.h"
#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "reference/cache_store.h"

namespace ropewalk::cache_store {
namespace {

// How tokens are stored, in numbers. They are those of the problem, or one of them is another.
struct Append {
  i64 tokens, heads, page_size;
  i64 token_stride;             // of key and value
  i64 page, slot, head;         // strides of the caches
  bool stores_padding = false;  // slot -1 is taken for a slot
  bool in_32_bits = false;      // where a page begins

  explicit Append(const CacheStoreProblem& p)
      : tokens(p.tokens),
        heads(p.heads),
        page_size(p.tokens_of_page()),
        token_stride(p.token_stride()),
        page(p.page_stride()),
        slot(p.slot_stride()),
        head(p.head_stride()) {}

  std::vector<StoreHypothesis::Move> moves(const CacheStoreProblem& p) const {
    std::vector<StoreHypothesis::Move> all;
    const std::vector<i64> slots = p.slots_of_tokens();
    for (i64 token = 0; token < tokens; ++token) {
      const bool has_slot = u64(token) < slots.size();
      const i64 at = has_slot ? slots[u64(token)] : 0;
      if (at < 0 && !stores_padding) continue;
      // As integers are divided in C, towards 0.
      const i64 first = at / page_size * page;
      const i64 start = (in_32_bits ? i64(i32(u32(first))) : first) + at % page_size * slot;
      for (i64 n = 0; n < heads; ++n) {
        const i64 from = token * token_stride + n * p.head_dim;
        all.push_back({from, has_slot ? std::optional(start + n * head) : std::nullopt, p.head_dim});
      }
    }
    return all;
  }
};

std::vector<StoreHypothesis::Move> copied(const CacheStoreProblem& p, i64 page_stride, u64 from, u64 to) {
  std::vector<StoreHypothesis::Move> all;
  for (u64 n = 0; n + 1 < p.copies.size(); n += 2)
    all.push_back({p.copies[n + from] * page_stride, p.copies[n + to] * page_stride, p.page_elements()});
  return all;
}

double without_saturation(double value, float scale) {
  return e4m3_to_f32(f32_to_e4m3(float(value / double(scale)), false));
}
double multiplied(double value, float scale) {
  return reference::scaled_to_f8e4m3(double(float(value * double(scale))), 1);
}

// Wrong ones, put together one by one.
class WrongStores {
 public:
  explicit WrongStores(const CacheStoreProblem& problem) : p_(problem), right_(right_store(problem)) {}

  std::vector<StoreHypothesis> of_copies() {
    const char* const advice = "copies[n] is the page that is read, copies[n + 1] the page that is written";
    add("copied-pages", "a pair of pages is taken for (to, from)", advice).moves = copied(p_, p_.page_stride(), 1, 0);
    add("copied-pages", "pages are copied to where they come from", advice).moves = copied(p_, p_.page_stride(), 0, 0);
    if (p_.page_gap) {
      add(page_stride_words()).moves = copied(p_, p_.page_elements(), 0, 1);
    }
    return std::move(all_);
  }

  std::vector<StoreHypothesis> of_tokens() {
    slots();
    rows();
    if (p_.dtype_of_cache() != p_.dtype) scales();
    return std::move(all_);
  }

 private:
  struct Words {
    std::string cause, text, advice;
  };

  StoreHypothesis& add(Words words) {
    all_.push_back(right_);
    StoreHypothesis& hypothesis = all_.back();
    hypothesis.cause = std::move(words.cause);
    hypothesis.text = std::move(words.text);
    hypothesis.advice = std::move(words.advice);
    return hypothesis;
  }
  StoreHypothesis& add(const char* cause, std::string text, const char* advice) {
    return add(Words{cause, std::move(text), advice});
  }

  Words page_stride_words() const {
    return {"wrong-stride",
            fmt::format("pages are taken to be {} elements apart, page_size x H x D, and are {}", p_.page_elements(),
                        p_.page_stride()),
            "pass the stride of a page of the cache: key and value, or several layers, may share its storage"};
  }

  template <class Change>
  void append(Words words, Change change) {
    Append way(p_);
    change(way);
    StoreHypothesis& hypothesis = add(std::move(words));
    hypothesis.moves = way.moves(p_);
    hypothesis.entries = way.tokens;
  }

  // In the caches.
  void slots() {
    append({"padding-slot", "tokens of slot -1 are stored", "leave tokens out whose slot is negative"},
           [](Append& way) { way.stores_padding = true; });
    if (p_.pages() * p_.page_stride() >= i64(1) << 31) {
      append(
          {"int32-overflow",
           fmt::format("the number of a page times {}, the stride of pages, is computed in 32 bits", p_.page_stride()),
           "compute it in 64 bits: slot_mapping is i64, and a cache may have more than 2^31 elements"},
          [](Append& way) { way.in_32_bits = true; });
    }
    if (p_.page_gap) append(page_stride_words(), [&](Append& way) { way.page = p_.page_elements(); });
    if (p_.page_size > 1) {
      append({"wrong-page-size", "a slot is taken for the number of a page",
              "slot / page_size is the page, slot % page_size the token in it"},
             [](Append& way) { way.page_size = 1; });
    }
    if (p_.page_size == 0) return;
    const bool heads_first = p_.layout == CacheLayout::Hnd;
    append({"cache-layout",
            fmt::format("{} layout was used for an {} cache", heads_first ? "NHD" : "HND", heads_first ? "HND" : "NHD"),
            "pass the strides of a token and of a head in a page, or check the layout before the launch"},
           [&](Append& way) {
             way.slot = heads_first ? p_.heads * p_.head_dim : p_.head_dim;
             way.head = heads_first ? p_.head_dim : p_.page_size * p_.head_dim;
           });
    if (heads_first && p_.page_size != p_.heads) {
      append({"wrong-page-size",
              fmt::format("page_size was taken from dimension 1 of the cache, which has {} heads in HND", p_.heads),
              "pass page_size, or take it from the dimension that the layout has it in"},
             [&](Append& way) { way.page_size = p_.heads; });
    }
  }

  // In key and value.
  void rows() {
    if (p_.token_stride() != p_.heads * p_.head_dim) {
      append({"wrong-stride",
              fmt::format("rows of key and value are taken to be {} elements apart, H x D, and are {}",
                          p_.heads * p_.head_dim, p_.token_stride()),
              "pass the stride of a token of key and value: they may be views of a packed row of q, k and v"},
             [&](Append& way) { way.token_stride = p_.heads * p_.head_dim; });
    }
    if (p_.query_heads && p_.query_heads != p_.heads) {
      append(
          {"wrong-head-count",
           fmt::format("key and value are gone through with the {} heads of q, and have {}", p_.query_heads, p_.heads),
           "pass the number of heads of key and value"},
          [&](Append& way) { way.heads = p_.query_heads; });
    }
    if (p_.padding) {
      append({"padded-tokens",
              fmt::format("all {} tokens of key and value are stored, and slot_mapping has {}", p_.tokens + p_.padding,
                          p_.tokens),
              "count tokens by slot_mapping: key and value are padded for CUDA graphs"},
             [&](Append& way) { way.tokens = p_.tokens + p_.padding; });
    }
  }

  void scales() {
    const char* const advice = "divide keys by k_scale and values by v_scale";
    if (p_.k_scale != p_.v_scale) {
      add("cache-scale", "k_scale was used for v", advice).v_scale = right_.k_scale;
      add("cache-scale", "v_scale was used for k", advice).k_scale = right_.v_scale;
    }
    if (p_.k_scale != 1 || p_.v_scale != 1) {
      add("cache-scale", "numbers are multiplied by their scale, not divided", advice).rounded = multiplied;
      StoreHypothesis& plain = add("cache-scale", "numbers are not scaled", advice);
      plain.k_scale = plain.v_scale = 1;
    }
    add("fp8-saturation", "numbers beyond 448 become NaN", "convert with saturation: 448 is the largest of e4m3")
        .rounded = without_saturation;
  }

  const CacheStoreProblem& p_;
  const StoreHypothesis right_;
  std::vector<StoreHypothesis> all_;
};

// What the cache holds by a hypothesis; nothing is expected of elements that are not written, that two write, or that
// come from no element of the tensor they are read from.
diagnose::Expected expected_by(const StoreHypothesis& hypothesis, const LaunchTensor& from, const LaunchTensor& cache,
                               bool of_value) {
  const bool is_copy = &from == &cache;
  const std::vector<double> source = compare::initial_values(from);
  const diagnose::FootprintElements elements(cache), read(from);
  diagnose::Expected out = diagnose::Expected::of_size(element_count(cache.shape));
  if (is_copy) {
    out.value = source;
  } else {
    out.bound.assign(out.bound.size(), diagnose::anything);
  }
  std::vector<bool> written(out.value.size());
  for (const StoreHypothesis::Move& move : hypothesis.moves) {
    for (i64 n = 0; n < move.count && move.to; ++n) {
      bool is_there = false, is_known = false;
      const i64 to = elements.at(*move.to + n, &is_there);
      if (!is_there) continue;
      const i64 at = read.at(move.from + n, &is_known);
      is_known = is_known && !written[u64(to)];
      written[u64(to)] = true;
      out.bound[u64(to)] = is_known ? 0 : diagnose::anything;
      if (!is_known) continue;
      const double value = source[u64(at)];
      const float scale = of_value ? hypothesis.v_scale : hypothesis.k_scale;
      out.value[u64(to)] = hypothesis.rounded ? hypothesis.rounded(value, scale) : value;
    }
  }
  return out;
}

}  // namespace

StoreHypothesis right_store(const CacheStoreProblem& p) {
  StoreHypothesis hypothesis;
  hypothesis.moves = p.is_copy() ? copied(p, p.page_stride(), 0, 1) : Append(p).moves(p);
  hypothesis.entries = p.is_copy() ? i64(p.copies.size()) : p.tokens;
  hypothesis.k_scale = float(p.k_scale);
  hypothesis.v_scale = float(p.v_scale);
  if (!p.is_copy() && p.dtype_of_cache() != p.dtype) hypothesis.rounded = reference::scaled_to_f8e4m3;
  return hypothesis;
}

std::vector<StoreHypothesis> wrong_stores(const CacheStoreProblem& problem) {
  return problem.is_copy() ? WrongStores(problem).of_copies() : WrongStores(problem).of_tokens();
}

diagnose::Prediction touched_by(const StoreHypothesis& hypothesis, const LaunchTensor& tensor,
                                const CacheStoreProblem& problem) {
  std::vector<i64> offsets;
  const bool is_cache = tensor.name.ends_with("_cache"), is_list = tensor.dtype == Dtype::I64;
  for (i64 n = 0; is_list && n < hypothesis.entries; ++n) offsets.push_back(n);
  for (const StoreHypothesis::Move& move : hypothesis.moves) {
    for (i64 n = 0; n < move.count && !is_list; ++n) {
      if (is_cache && move.to) offsets.push_back(*move.to + n);
      if (!is_cache || problem.is_copy()) offsets.push_back(move.from + n);
    }
  }
  return diagnose::predict(tensor, std::move(offsets));
}

std::set<i64> contested_by(const StoreHypothesis& hypothesis, const LaunchTensor& cache,
                           const CacheStoreProblem& problem) {
  std::map<i64, int> written;
  std::set<i64> contested;
  for (const StoreHypothesis::Move& move : hypothesis.moves) {
    for (i64 n = 0; n < move.count && move.to; ++n) ++written[*move.to + n];
  }
  const diagnose::FootprintElements elements(cache);
  bool inside = false;
  for (const auto& [offset, times] : written) {
    if (times > 1) contested.insert(elements.at(offset, &inside));
  }
  for (const StoreHypothesis::Move& move : hypothesis.moves) {
    for (i64 n = 0; n < move.count && problem.is_copy(); ++n) {
      if (written.contains(move.from + n)) contested.insert(elements.at(move.from + n, &inside));
    }
  }
  return contested;
}

bool is_small_store(const CacheStoreProblem& p) {
  constexpr i64 most = i64(1) << 19;  // elements: there are ten hypotheses
  const __int128 tokens = p.is_copy() ? 0 : (p.tokens + p.padding) * std::max(p.heads, p.query_heads);
  return (tokens + p.pages() * p.tokens_of_page() * p.heads) * p.head_dim <= most;
}

std::vector<diagnose::OutputHypothesis> cache_store_hypotheses(const LaunchTensor& output,
                                                               const CacheStoreProblem& problem,
                                                               const diagnose::Scene& scene) {
  const bool of_value = output.name == "value_cache";
  if ((!of_value && output.name != "key_cache") || !is_small_store(problem)) return {};
  const LaunchTensor& from = problem.is_copy() ? output : compare::tensor_of(scene.launch, of_value ? "value" : "key");
  std::vector<diagnose::OutputHypothesis> hypotheses;
  for (const StoreHypothesis& hypothesis : wrong_stores(problem))
    hypotheses.push_back(
        {hypothesis.cause, hypothesis.text, hypothesis.advice, expected_by(hypothesis, from, output, of_value)});
  return hypotheses;
}

}  // namespace ropewalk::cache_store
