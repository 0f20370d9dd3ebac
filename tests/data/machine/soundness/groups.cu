// Cooperative groups: of several warps, of the lanes that happen to be there, and what they compute together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "tests/data/machine/soundness/pair.h"

namespace cg = cooperative_groups;

// tile_of_two_warps: grid 1 block 128; finds shared-race or uninitialized-read
PAIR(tile_of_two_warps) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = in[t];
  if constexpr (wrong)
    __syncwarp();
  else
    tile.sync();
  out[t] = s[t ^ 63];
}

// tile_that_reads_its_neighbour: grid 1 block 128; finds shared-race or uninitialized-read
PAIR(tile_that_reads_its_neighbour) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = in[t];
  tile.sync();
  out[t] = s[wrong ? t ^ 127 : t ^ 63];
}

// sum_of_two_warps: grid 1 block 128; finds uninitialized-read
PAIR(sum_of_two_warps) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int t = threadIdx.x;
  if (!wrong || t != 70) s[t] = in[t];
  tile.sync();
  const int sum = cg::reduce(tile, s[t], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}

// scan_gives_places: grid 1 block 64; finds global-race
PAIR(scan_gives_places) {
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const auto warp = cg::tiled_partition<32>(tile);
  const int t = threadIdx.x, is_odd = in[t] & 1;
  const int place = wrong ? cg::exclusive_scan(warp, is_odd) : cg::exclusive_scan(tile, is_odd);
  if (is_odd) out[place] = t;
}

// rank_in_those_that_are_there: grid 1 block 64; finds global-race
PAIR(rank_in_those_that_are_there) {
  const int t = threadIdx.x;
  if (in[t] % 3 != 0) return;
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(work, int(group.num_threads()));
  first = group.shfl(first, 0);
  out[wrong ? first : first + group.thread_rank()] = t;
}

// group_of_half_a_block: grid 1 block 128; finds barrier-divergence or hang
PAIR(group_of_half_a_block) {
  __shared__ int s[128];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[t];
  if (wrong ? t < 64 : true) block.sync();
  out[t] = s[t];
}

// scans_one_after_the_other: grid 1 block 128; finds shared-race or uninitialized-read
PAIR(scans_one_after_the_other) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int t = threadIdx.x;
  const int sum = cg::inclusive_scan(tile, in[t]), most = cg::inclusive_scan(tile, sum, cg::greater<int>());
  s[t] = most + cg::reduce(tile, in[t], cg::plus<int>());
  if (!wrong) tile.sync();
  out[t] = s[t ^ 63] + tile.shfl(most, 3);
}
