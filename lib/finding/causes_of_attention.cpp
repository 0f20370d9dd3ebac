// The pages of causes that speak of attention kernels.
#include "lib/finding/cause_info.h"

namespace ropewalk {
namespace {

constexpr const char* reproduced =
    "Reading the problem so reproduces every element within the reference's bound, and the right reading does not.";

}  // namespace

std::vector<CauseInfo> causes_of_attention() {
  return {
      {"scale-missing", "Scores not scaled", "Products of queries and keys are taken for scores.", reproduced,
       "Multiply q.k by the scale, 1 / sqrt(D) where none is given, once."},
      {"scale-doubled", "Scores scaled twice",
       "The scale is applied to the queries and again to their products with the keys.", reproduced,
       "Multiply q.k by the scale in one place."},
      {"causal-top-left", "Causal mask at the first key",
       "Query 0 sees key 0 alone where there are more keys than queries, or fewer: the mask is aligned at the top "
       "left.",
       reproduced,
       "Query i of Tq is at the position of key i + Tk - Tq; with as many queries as keys the two are the same."},
      {"window-off-by-one", "Window off by one",
       "A query sees one key more, or fewer, on one side than its window has.", reproduced,
       "A window [left, right] is the own key, left keys before it and right keys behind it."},
      {"window-sentinel", "Sentinel of a window misread",
       "-1 (an open side) is taken for a number of keys, or 0 (no key on that side) for an open side.", reproduced,
       "Ask for window < 0 before the number is used, and for nothing else."},
      {"softcap-missing", "Softcap left out", "Scores are not capped though a cap is asked for.", reproduced,
       "score = softcap tanh(score / softcap), before masks and biases, and in the backward as well."},
      {"softcap-missing-in-backward", "Softcap left out of the backward",
       "The forward caps scores, and the backward knows nothing of it, or lacks the slope of the cap.", reproduced,
       "Hand softcap to the backward, and multiply the gradient of a score by 1 - tanh^2(score / softcap), for dq and "
       "dk."},
      {"delta-missing", "Gradient without delta",
       "The gradient of a score lacks the part that comes of the weights' sum being 1.", reproduced,
       "Subtract delta, the product of a row of out and its gradient, from dout.v."},
      {"gqa-accumulation", "Gradients of shared heads not summed",
       "dk and dv have the part of one head of q alone, where several share the head of k.", reproduced,
       "Sum dk and dv over all heads of q that share the head of k, or write one for each and sum them."},
      {"alibi-slope", "ALiBi with other slopes",
       "The bias by distance has the wrong sign, the slopes of other heads, or is left out.", reproduced,
       "Subtract 2^(-8 (head + 1) / heads) times the distance between the query's position and the key."},
      {"gqa-head-mapping", "Heads of k in the wrong order",
       "Head h of q has the keys of head h % Hk: keys were tiled where each must be repeated.", reproduced,
       "Heads of q that share a head of k are neighbours: h / (H / Hk)."},
      {"batch-stride", "Sequence taken from another one",
       "The batch's number, or its stride, is lost for one of the tensors, so that sequences have each other's rows.",
       reproduced, "A sequence begins at its number times the batch stride of each tensor."},
      {"lse-base", "lse in another base",
       "The log-sum-exp is in base 2, as kernels work it out, where it is asked for in base e.", reproduced,
       "Multiply by log(2) before it is stored; whoever merges parts must use the same base."},
      {"lse-without-maximum", "lse without the maximum",
       "The log-sum-exp lacks the largest score, which was subtracted before the exponentials.", reproduced,
       "lse = largest + log(sum)."},
      {"tail-tile-dropped", "Last tile of keys left out", "Keys past the last whole tile are not gone through.",
       reproduced, "Round the number of tiles up, and mask the keys past the last one."},
      {"ring-step-missing", "Step of a ring left out",
       "A rank never meets the keys, or the queries, of another: the ring stops early, or turns nothing.", reproduced,
       "A ring of R ranks has R steps, 0 to R - 1; in step s rank r has the keys of rank (r - s) mod R."},
      {"ring-step-twice", "Step of a ring counted twice",
       "Keys that a rank has met are merged once more, so that they count double.", reproduced,
       "End the loop after R steps, when a rank's own keys are back with it."},
      {"rank-order", "Positions of another rank",
       "Tokens of one rank are taken to be where those of another are: zigzag for contiguous chunks, ranks in another "
       "order, or positions within a rank for those in the sequence.",
       reproduced,
       "Masks and distances go by positions in the whole sequence: with zigzag rank r has chunks r and 2 R - 1 - r of "
       "2 "
       "R."},
      {"merge-weights", "Parts merged with wrong weights",
       "Outputs of parts of the keys, of splits or of a ring's steps, are added, averaged or replaced, and not "
       "weighted "
       "by their lse.",
       reproduced,
       "A part's weight is exp(lse of the part - lse), with lse = log of the sum of exp(lse) of all parts; step by "
       "step, "
       "out' = exp(lse - lse') out + exp(lse_n - lse') out_n."},
      {"masked-nan", "NaN from what is masked",
       "A masked row or key still enters the arithmetic: -inf - -inf where a row sees nothing, or 0 x NaN where rows "
       "of v past the last key are loaded.",
       "The first NaN comes of a case with rows that see nothing, NaN in exactly those rows reproduces the output, or "
       "rows of v alone are read up to the end of a tile.",
       "Load what is masked as zeros, and subtract 0 where the largest score is -inf."},
      {"mask-sentinel", "Finite number for masked scores",
       "Masked keys have a large negative score that is not -inf, and count where valid scores are as low or where "
       "nothing is valid.",
       reproduced, "Mask with -inf, or set the weights of masked keys to 0."},
      {"sink-missing", "Sink left out", "Each head's sink does not enter the sum of its rows.", reproduced,
       "Add exp(sink) to the sum of exponentials, with the same maximum, and to lse."},
      {"page-table", "Block table misread",
       "Keys are taken from other pages than the block table says: it is not read, read at another row or with another "
       "page size, looked up too seldom, or it has no page for a key.",
       "Going through the pages so reproduces every element within the reference's bound, or touches exactly what was "
       "touched beside the sequences' pages.",
       "Key j of sequence b is in page block_table[b, j / page_size], at its row j % page_size; ask the lengths and "
       "the "
       "table for what they hold before the launch."},
      {"key-lengths", "Key lengths not honored",
       "A sequence is taken to have as many keys as there is room for, not as many as it has.",
       "With Tk keys for every sequence every element is as observed, or exactly what was touched past the last key "
       "is.",
       "Masks, loops and the position of a query under a causal mask count from the sequence's own length."},
      {"split-range", "Keys in no part",
       "The keys are split into parts of one size rounded down, and those past the last are in none.", reproduced,
       "Round the size of a part up, so that the last one is the shorter."},
      {"split-dropped", "Parts left out of the merge", "The last part is not merged, or those behind the first 32.",
       reproduced, "Go through all parts, however many there are."},
      {"empty-split", "Part without keys counted, or not written",
       "A part that has no keys is not written, so that the merge reads what was there, or the merge gives it a "
       "weight.",
       "Exactly the elements of such parts are missing, or counting them with lse = 0 reproduces every element.",
       "Write out = 0 and lse = -inf, and give a part whose lse is -inf no weight, whatever its out holds."},
      {"sink-in-every-part", "Sink counted more than once",
       "Each part of the keys counts the sink, and so does the sum.", reproduced,
       "Count the sink once: in the merge, or in one part that is always there."},
      {"empty-sequence", "Sequence without rows",
       "A sequence without queries or without keys is left alone, or counted as if it had a row.",
       "Exactly the rows of sequences without keys are not written, or the rows past the end are those of sequences "
       "with one row each.",
       "Rows begin where cu_seqlens say; a query without keys has out = 0 and lse = -inf."},
      {"block-without-sequence", "Blocks of no sequence",
       "The grid is rounded up, and blocks of no sequence look their sequence up.",
       "cu_seqlens are read as many entries past their end as the grid has sequences too many.",
       "Hold a block's sequence against the number of sequences before its entries are read."},
  };
}

}  // namespace ropewalk
