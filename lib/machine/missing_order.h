// What a race lacks: a release, an acquire or a wider scope of instructions that hand a value from one thread to
// another. The launch runs with them taken for what they are not: does the race end?
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "lib/machine/collector.h"

namespace ropewalk::machine {

class OrderSearch {
 public:
  // The races of the launch with its steps taken for that (Assumed bits, by step), in one of several orders of turns,
  // of which number 0 is the one that showed the races; nullopt: it did not end.
  using RacesOf = std::function<std::optional<std::vector<Occurrence>>(const std::vector<u8>& assumed, u32 order)>;

  // Runs the launch so often at most.
  OrderSearch(const Code& code, u32 orders, u32 most_runs, RacesOf races_of);

  // Steps which together would end the race in every order, and would not without any one of them; one for each
  // instruction of the source. Nothing, where there are none.
  std::vector<MissingStep> find(const Occurrence& race);

 private:
  // Copies of one instruction, as unrolled loops have them, and what they are not.
  struct Candidate {
    std::vector<u32> steps;
    Assumed is_not;
  };
  using Chosen = std::vector<bool>;  // by candidate

  // Whether one of the races is of the same memory and the same line, whoever the other side is; or of the same two
  // lines in the other order.
  bool has_race_at(const std::vector<Occurrence>& races, const Occurrence& race) const;
  bool ends(const Occurrence& race, const Chosen& chosen, u32 orders);
  // The same with less, where the race ends.
  Chosen least_of(const Occurrence& race, Chosen chosen, u32 orders);

  std::vector<Candidate> candidates_;
  std::vector<u32> line_of_;  // by step: its line of the source, by number
  u32 orders_, runs_left_;
  RacesOf races_of_;
  std::map<std::pair<Chosen, u32>, std::optional<std::vector<Occurrence>>> known_;
};

}  // namespace ropewalk::machine
