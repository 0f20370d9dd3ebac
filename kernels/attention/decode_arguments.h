// The arguments that the decode kernel and the merge of its parts take by value, laid out alike by nvcc and by the host
// compiler.
#pragma once
#include "kernels/attention/arguments.h"

// Of `attention`, with pages, k_batch and v_batch are strides of a page, and `keys` is what there is room for.
struct AttentionDecodeArguments {
  AttentionArguments attention;
  const int* key_lengths;          // [sequences], or null: every sequence has `keys`
  const int* block_table;          // [sequences, table_columns], or null: no pages
  int page_size, table_columns;    // tokens to a page; entries of the table to a sequence
  int pages;                       // that there are
  int splits;                      // parts of the keys of each sequence
  int row_tiles;                   // blocks that share a part of a head of k: tiles of its heads' queries
  long long out_split, lse_split;  // strides of a part
};

// Strides of the merged out and lse, and of the parts; lse of a part has the strides of lse behind its split's.
struct AttentionMergeArguments {
  const float* sinks;  // [heads], or null: no sink
  int queries, heads, splits, value_dim;
  long long rows;  // sequences x queries x heads
  long long out_batch, out_token, out_head;
  long long lse_batch, lse_head;
  long long part_split, part_batch, part_token, part_head;
  long long lse_split;
};
