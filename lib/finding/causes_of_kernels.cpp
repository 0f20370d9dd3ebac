// The pages of causes that speak of kernels.
#include "lib/finding/cause_info.h"

namespace ropewalk {

std::vector<CauseInfo> causes_of_kernels() {
  return {
      {"model-width-for-head-dim", "Model width where head_dim was meant",
       "The width of the rotation is the width of the model (heads x head_dim): somebody passed that.",
       "The width is heads x head_dim, and what is touched reaches exactly as far past the rows as that width does; or "
       "a cache is right for the width of the model that its configuration says, or for exponents over it.",
       "Build the rotary embedding with dim = head_dim, and reject a width over head_dim before the launch."},
      {"width-over-head-dim", "Width larger than a head",
       "More columns are rotated than a head has, so rows run into their neighbours and the last one past the end.",
       "The width is over head_dim, and what is touched ends where that width ends.",
       "Pass a rotary_dim of at most head_dim, and reject larger ones before the launch."},
      {"odd-rotary-dim", "Odd width",
       "Columns are rotated in pairs, and an odd width has half a pair: its half is rounded up in one place and down "
       "in another.",
       "The width is odd, and exactly the column that makes up its last pair is touched outside.",
       "Pass an even rotary_dim, and reject odd ones before the launch."},
      {"cache-too-short", "Fewer rows of cos and sin than positions",
       "A position asks for a row that the cache does not have.",
       "The rows that are touched past the end are those that offset + tokens, or a position, ask for; or such "
       "positions were accepted, and the output shows what became of them.",
       "Build cos and sin for the longest sequence, or reject larger positions before the launch."},
      {"negative-position", "Position below 0",
       "An offset or a position is negative, so a row before the first of cos and sin is read.",
       "The rows that are touched before the start are those that a negative offset or position asks for.",
       "Reject negative offsets and positions; padding on the left needs a mask."},
      {"missing-row-mask", "Rows of the last tile are not masked",
       "The kernel works on tiles of rows, and in the last one it touches rows that do not exist.",
       "Exactly the rows from the extent to the end of the last tile are touched, and the tile is one of the launch's.",
       "Compare the row's number in the whole tensor, not in its tile, with the number of rows before every load and "
       "store."},
      {"missing-column-mask", "Lanes past the last column are not masked",
       "There are more lanes than columns or pairs, and those past the last one load or store as well.",
       "Exactly those columns are touched, or wrong, that lanes up to the block's width or the next power of two have.",
       "Hold the lane against the number of columns, or pairs, before every load and store."},
      {"block-local-mask", "Mask in the tile's own numbers",
       "A mask compares a row's number within its tile with something that is meant for the whole tensor.",
       "The same rows of every tile are left out, in two tiles or more, and no other.",
       "Compare the row's number in the whole tensor."},
      {"layout-mixup", "Pairs of the other layout",
       "Columns are paired as neighbours where the halves were meant, or the other way round.",
       "Reading the problem in the other layout reproduces every element within the reference's bound, and the right "
       "layout does not; of a dumped cache, its columns are right in the other layout, or in another than those of the "
       "other ranks.",
       "Pair columns as the weights were trained: (c, c + width / 2) or (2 c, 2 c + 1)."},
      {"steps-rounded", "Every step is rounded where one rounding was promised",
       "cos, sin and the products are rounded to the narrow dtype before they are added, so errors of several "
       "roundings "
       "come together, the larger the more the products cancel.",
       "Rounding every step reproduces every element to the bit, and one rounding at the end does not.",
       "Compute in f32, and round once, when the result is stored."},
      {"steps-not-rounded", "Roundings between the steps are left out",
       "A compiler or a fused kernel keeps in f32 what operators that run one by one store in a narrow dtype: the "
       "result "
       "is nearer to the true one, and is another than the program gives that it stands for.",
       "One rounding at the end reproduces every element within the reference's bound, and rounding every step does "
       "not.",
       "Compute in f32 in both, so that there is no rounding to leave out, or have the compiler keep them."},
      {"wrong-stride", "Strides of another tensor",
       "A tensor is indexed by the strides of another one, or as if it had no gaps.",
       "Those strides touch exactly the elements that are touched outside and leave out those that are not written, or "
       "reproduce the whole output.",
       "Pass the strides of each tensor for itself."},
      {"wrong-head-count", "Heads of another tensor",
       "One tensor is gone through with the number of heads that another has.",
       "The elements that are touched outside are those of the heads that the other tensor has and this one has not.",
       "Pass the number of heads of q and of k apart."},
      {"unequal-batches", "Batches of another tensor",
       "One tensor is gone through to the end of another that has more batches or tokens.",
       "The elements that are touched outside are those of the batches that only the other tensor has.",
       "Reject tensors of unequal batches before the launch."},
      {"varlen-total-over-rows", "cu_seqlens count more rows than there are",
       "The last of the cumulative lengths is larger than the number of rows of x.",
       "What is touched past the end is the difference, in rows.",
       "The last entry of cu_seqlens must be the number of rows; check it, the first one and the order before the "
       "launch."},
      {"tokens-behind-sequences", "Rows past the last sequence",
       "Rows that belong to no sequence (padding, dropped tokens) are taken for tokens of the last one.",
       "Exactly the rows from the last of cu_seqlens on are touched, or the rows of cos and sin that they ask for.",
       "Leave rows from the last entry of cu_seqlens on alone."},
      {"rows-skipped", "Whole rows are left out",
       "Some rows of an output are never written, so that what was in the memory shows through.",
       "Every other row is complete, and nothing was written elsewhere; the text says whether the rows are those at "
       "positions outside of the cache.",
       "Find the mask or the grid that leaves them out, reject such positions, or write those rows."},
      {"int32-overflow", "Index of 32 bits", "The product of an index and a stride does not fit 32 bits and wraps.",
       "The machine saw the exact value that did not fit, or what is touched lies exactly 2^32 elements or bytes "
       "before an element.",
       "Widen one factor before the multiplication, not its result."},
      {"grid-limit", "Grid over the limits",
       "A dimension of the grid is larger than any device takes: y and z end at 65,535.", "The launch itself says so.",
       "Map the long dimension to grid.x, or split the launch."},
      {"missing-barrier", "Barrier left out",
       "One thread reads what another of its block writes, or writes what another clears, with nothing that orders the "
       "two.",
       "One instruction stores and the other loads, or, in shared memory, one stores a constant and the other "
       "something else; control gets from the one to the other, perhaps round a loop, or they are two arms of a "
       "branch, and no barrier is between. In global memory nobody of another block raced, blocks do not signal to "
       "each other, and the two do not both load and store there.",
       "Put __syncthreads() between them, before a loop that only one of them is in, where all threads of the block "
       "pass; __syncwarp() where only one warp does. What a loop fills again needs one after it was read, too."},
      {"missing-atomic", "Update that is not atomic",
       "Several threads change one element by a load and a store, so that a change is lost where another one comes "
       "between.",
       "The store puts back what was made of the load from the same address, with no branch between, and the other "
       "thread does the same there or makes an atomic operation. No barrier that was tried ends the race.",
       "Use atomicAdd or another atomic operation, or give each thread an element of its own and add these up."},
      {"unset-accumulator", "Sum that begins with anything",
       "A thread adds to an element that nobody has set, as where an output that is summed up by atomics was "
       "allocated, "
       "and not cleared.",
       "What was read there goes into what is stored there, and no thread of the launch races for it.",
       "Set it before the launch (cudaMemset, torch.zeros), or in the kernel with a barrier behind it; or store the "
       "first "
       "value instead of adding it."},
      {"overlapping-stores", "Stores that overlap",
       "Two threads of a block store different values to one element of shared memory, so that chance says which "
       "stays.",
       "It is one instruction, or one store follows the other and nothing between them reads shared memory, with no "
       "way round a loop that passes no barrier, or in one warp: a barrier would only choose which value is lost. "
       "Other races for the same bytes come of it.",
       "Correct the index or the stride, so that each thread has elements of its own, or let one thread store."},
      {"missing-copy-wait", "Copy not waited for",
       "A thread copies to shared memory asynchronously, and somebody reads or writes there before the copy is "
       "complete.",
       "Both are of one thread, or of threads that only barriers of the block order, and the machine saw the bytes "
       "under way.",
       "Commit the copy to a group, wait until that group is complete, then let all threads meet at a barrier."},
      {"copy-too-early", "Copy started too early",
       "A thread copies to shared memory asynchronously while what lies there is still to be read, as where the next "
       "tile is fetched into the buffer of the one that is used.",
       "The machine saw the bytes under way when they were read, and what the copy before had brought there was not "
       "yet read, or was being read, when this one was started.",
       "Start the copy behind the reads and a barrier, or use one buffer more."},
      {"missing-fence", "Signal that orders nothing",
       "One thread hands data to another by a flag, a lock or a ticket, and the other may see the signal before the "
       "data.",
       "With the named instructions taken for a release, for an acquire, or for both, the launch has no race there, in "
       "the order of turns that showed it and in others.",
       "Put __threadfence() between the data and the signal, on both sides, or use cuda::atomic_ref with "
       "memory_order_release and memory_order_acquire."},
      {"scope-too-narrow", "Scope of one block, threads of two",
       "An atomic or a fence of block scope (_block, .cta) orders nothing between threads of different blocks.",
       "With the named instructions taken for those of device scope, the launch has no race there, in the order of "
       "turns "
       "that showed it and in others.",
       "Use atomicAdd() and its like without _block, __threadfence(), or cuda::thread_scope_device."},
      {"wrong-dtype-width", "Elements of another dtype", "A tensor is read as if its elements were of another dtype.",
       "Each access takes the bytes of two elements and what is touched lies where elements of that width would, or "
       "reading the bits so reproduces the output.",
       "Choose the kernel by the dtype of every tensor, also of cos and sin, or convert first."},
      {"vector-too-wide", "Vector wider than what a lane needs",
       "Each lane reads a vector of more elements than it has pairs for.",
       "Past the last row that is asked for, exactly one more vector is touched, and the row is a whole number of "
       "vectors.",
       "Give cos and sin vectors of half the columns that a lane rotates."},
      {"wrong-sin-offset", "sin looked for at another offset",
       "cos and sin share a table, and sin is taken to begin behind another number of rows than there are.",
       "One of the launch's integers, as the first row of sin, gives exactly the rows that are touched, or reproduces "
       "the output.",
       "Pass the rows that this cache has, not those of the longest one."},
      {"position-ignored", "Position left out",
       "Tokens are rotated as if their offset, or their position, were not there.",
       "Leaving it out reproduces every element within the reference's bound, and the right positions do not.",
       "A token's position is the offset of its sequence plus its number in the sequence."},
      {"offset-doubled", "Offset added twice", "The offset of a sequence is counted twice.",
       "Counting it twice reproduces the output, and once does not.",
       "Add the offset in one place: in the positions or in the kernel."},
      {"offset-of-another-sequence", "Offset of the first sequence for all",
       "Every sequence is rotated with the offset of the first one.",
       "That hypothesis reproduces the output, and each sequence's own offset does not.",
       "Index the offsets by the sequence."},
      {"position-not-restarted", "Positions go on across sequences",
       "A sequence begins where the one before it ended, not at its own offset.",
       "Positions that count on through all rows reproduce the output.",
       "Count the tokens of each sequence from its own start."},
      {"position-negated", "Offset subtracted", "The offset is subtracted where it must be added.",
       "Subtracting it reproduces the output.", "Position = offset + token."},
  };
}

}  // namespace ropewalk
