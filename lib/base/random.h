// A splittable, counter-based random source: the n-th number of a stream depends on the seed and n alone.
#pragma once
#include "lib/base/types.h"

namespace ropewalk {

// A bijective mixing of 64 bits (the finaliser of SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
constexpr u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// The n-th 64 bits of stream `seed`.
constexpr u64 random_bits(u64 seed, u64 n) { return mix(mix(seed) ^ (n * 0xd1342543de82ef95ull + 1)); }
// In [0, 1), 53 bits.
constexpr double random_unit(u64 seed, u64 n) { return double(random_bits(seed, n) >> 11) * 0x1p-53; }
// Where the standard normal distribution reaches `probability`, which is inside (0, 1); to about 1e-16 (Wichura, AS
// 241).
double normal_quantile(double probability);
// The n-th normal deviate of stream `seed`, mean 0, variance 1: the quantile of the n-th number.
double random_normal(u64 seed, u64 n);
// The deviates [first, first + count), faster than one by one.
void random_normals(u64 seed, u64 first, u64 count, double* out);

// A sequential view of a stream, for drawing cases. Splitting gives an independent stream.
class Random {
 public:
  explicit constexpr Random(u64 seed) : seed_(seed) {}
  constexpr u64 bits() { return random_bits(seed_, next_++); }
  // In [0, bound); 0 for bound 0.
  constexpr u64 below(u64 bound) { return bound ? u64((static_cast<unsigned __int128>(bits()) * bound) >> 64) : 0; }
  // In [low, high], both included.
  constexpr i64 between(i64 low, i64 high) { return low + i64(below(u64(high - low) + 1)); }
  constexpr double unit() { return double(bits() >> 11) * 0x1p-53; }
  constexpr Random split(u64 label) const { return Random(mix(seed_ ^ mix(label + 0x5851f42d4c957f2dull))); }

 private:
  u64 seed_;
  u64 next_ = 0;
};

}  // namespace ropewalk
