// Faulty on purpose: pages and lengths of a cache. The correct counterpart is kernels/attention/decode.cu, from which each
// entry differs by one rule.
#include "kernels/faulty/decode_entry.cuh"

// The block table is not read: a sequence is taken to have its pages one behind another (MinivLLM 98).
struct PageOrder : DecodeRules {
  static __device__ __forceinline__ const int* pages_of(const AttentionDecodeArguments&, int) { return nullptr; }
  static __device__ __forceinline__ int first_batch(const AttentionDecodeArguments& d, int sequence) {
    return d.block_table ? sequence * d.table_columns : sequence;
  }
};
DECODE_FAULT(attention_page_order, PageOrder)

// Rows of the block table are taken to be as long as there are pages (cutlass 2221).
struct PageRow : DecodeRules {
  static __device__ __forceinline__ const int* pages_of(const AttentionDecodeArguments& d, int sequence) {
    return d.block_table ? d.block_table + static_cast<long long>(sequence) * d.pages : nullptr;
  }
};
DECODE_FAULT(attention_page_row, PageRow)

// The page is looked up once for 32 keys, which run on past its end (pypto 470).
struct PageTile : DecodeRules {
  static __device__ __forceinline__ long long row_start(int row, const KeyRows& rows) {
    if (!rows.pages) return row * rows.token;
    const int first = row / tile_keys * tile_keys;
    return rows.pages[first / rows.page_size] * rows.page + (first % rows.page_size + row - first) * rows.token;
  }
};
DECODE_FAULT(attention_page_tile, PageTile)

// A page's number times its stride in 32 bits (vllm 47671, 50427).
struct PageInt32 : DecodeRules {
  static __device__ __forceinline__ long long row_start(int row, const KeyRows& rows) {
    if (!rows.pages) return row * rows.token;
    return rows.pages[row / rows.page_size] * static_cast<int>(rows.page) + row % rows.page_size * rows.token;
  }
};
DECODE_FAULT(attention_page_int32, PageInt32)

// v is loaded to the end of the last page, with weights of 0 for what is no key's (vllm 47305).
struct PageTail : DecodeRules {
  static __device__ __forceinline__ int value_end(const AttentionDecodeArguments& d, const DecodeBlock&, int last) {
    return d.block_table ? (last + d.page_size - 1) / d.page_size * d.page_size : last;
  }
};
DECODE_FAULT(attention_page_tail, PageTail)

// Every sequence is taken to have as many keys as there is room for (tt-forge-onnx 422).
struct KeyLengths : DecodeRules {
  static __device__ __forceinline__ int keys_of(const AttentionDecodeArguments& d, int) { return d.attention.keys; }
};
DECODE_FAULT(attention_key_lengths, KeyLengths)
