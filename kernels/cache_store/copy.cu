// Pages copied inside of a KV cache.
//
//   key_cache[to] = key_cache[from], value_cache[to] = value_cache[from]    from, to = copies[pair]
//
// All pairs at once: no page is written that another pair reads or writes. Elements are copied as their bits, of 4, 2
// or 1 bytes.
//
// Grid (pairs), block (lanes): threadIdx.x runs over the elements of a page.
#include "kernels/cache_store/copy.cuh"

CACHE_COPY(cache_copy_4, CopyRules, unsigned)
CACHE_COPY(cache_copy_2, CopyRules, unsigned short)
CACHE_COPY(cache_copy_1, CopyRules, unsigned char)
