// The arguments that kernels which write to a KV cache take by value, laid out alike by nvcc and by the host compiler.
// Strides are in elements.
#pragma once

struct CacheAppendArguments {
  const long long* slot_mapping;     // [tokens], -1: the token is not stored
  int tokens, rows;                  // of slot_mapping, and of key and value, which CUDA graphs pad
  int heads, query_heads, head_dim;  // query_heads: of q in a packed row, 0: rows are not packed
  int page_size, dimension_1;        // tokens to a page; the cache's second extent, which is page_size in NHD alone
  float k_scale, v_scale;            // of caches in f8e4m3
  long long key_token, value_token;  // strides of key and value
  long long cache_page, cache_slot, cache_head;  // of both caches
};

struct CacheCopyArguments {
  const long long* copies;  // [pairs, 2]: from, to
  int pairs;
  int page_elements;     // without what lies between pages
  long long cache_page;  // stride
};
