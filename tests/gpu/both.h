// An executor that runs every launch on the machine and on a GPU and holds one against the other.
#pragma once
#include <memory>
#include <mutex>

#include "lib/launch/outcome.h"
#include "tests/gpu/tally.h"

namespace ropewalk {

// Whether PTX defines every bit of what the entry computes: nothing approximate, no product of matrices, no sum by
// floating-point atomics in the order of arrival.
bool is_exact(const ptx::Module& module, const std::string& entry);

// The first element of a tensor that differs; empty: none. What `a` did not write is not compared.
std::string difference(const Launch& launch, const Outcome& a, const Outcome& b);

// Where launches on both are reported, by whatever thread.
struct SharedTally {
  std::mutex mutex;
  Tally tally;
};

// An executor that answers what the GPU answered, for a campaign to judge. Launches whose bits are defined are compared
// with the machine's bit by bit. Those of more than `most_bytes`, and those of which only some blocks are meant to run,
// are left out.
std::unique_ptr<Executor> make_both(std::unique_ptr<Executor> gpu, u64 most_bytes, SharedTally& shared_tally);

}  // namespace ropewalk
