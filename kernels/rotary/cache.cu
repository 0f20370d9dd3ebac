// The cos and sin cache of a rotary embedding.
//
//   w[r] = theta^(-2 r / width), or as given            r in [0, pairs), pairs = width / 2
//   cos[p, r] = cos(p w[r]), sin[p, r] = sin(p w[r])    p in [0, rows)
//
// cos, sin [rows, pairs] in the dtype that the entry's name says; frequencies f32 [pairs], or null: from theta. The
// angle is a product in f32; sincosf is right over the whole range (2 units in the last place, CUDA C++ Programming
// Guide, "Mathematical Functions"), so the error grows with the position and by nothing else.
//
// Grid (row tiles), block (lanes, rows): threadIdx.x runs over pairs, threadIdx.y over the rows of the tile.
#include "kernels/rotary/cache.cuh"

ROTARY_CACHE(rotary_cache, CacheRules)
