#include "lib/init/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "lib/init/unit.h"

namespace ropewalk::init {
namespace {

// A broadcast, or an event of one rank.
struct Point {
  u32 event = 0;
  i32 rank = Step::all_ranks;
  auto operator<=>(const Point&) const = default;
};

// A point in time on all ranks: a broadcast with what its origins give (numbers of supplies), or an event of one rank
// that others wait for.
struct Meeting {
  Point point;
  std::map<u32, u32> given;  // by origin
};
using Meetings = std::vector<Meeting>;

constexpr size_t followed_ways = 64;  // of a search that is cut, after each number of events

using Sizes = std::vector<u16>;  // steps before the first meeting, between the first and the second, ...
struct Counts {
  Natural orders, good;
};

// What one unit can do, given what broadcasts bring.
struct Answer {
  std::map<Sizes, Counts> ends;
  std::map<Point, std::set<u32>> next;  // meetings that can follow the given ones: the supplies, where it is an origin
};

// Ranks that are alike in everything but their number, explored once.
struct Kind {
  Unit unit;
  std::unique_ptr<States> states;
  std::map<std::string, Answer> answers;  // by what broadcasts bring
};

class Explorer {
 public:
  Explorer(Simulator& simulator, const ExploreLimits& limits) : simulator_(simulator), limits_(limits) {
    const Plan& plan = simulator.plan();
    together_ = ranks_share_memory(plan);
    named_ = named_events(plan);
    std::map<std::string, size_t> known;
    for (u32 rank = 0; rank < (together_ ? 1 : plan.ranks); ++rank) {
      std::vector<u32> ranks{rank};
      if (together_) {
        for (u32 other = 1; other < plan.ranks; ++other) ranks.push_back(other);
      }
      std::string likeness;
      for (u32 event = 0; event < plan.events.size(); ++event) {
        likeness += plan.events[event].happens_on(rank) ? 'x' : '.';
        if (plan.events[event].is_collective()) likeness += fmt::format("{}", origin_likeness(event, rank));
      }
      for (const NamedEvent& named : named_) likeness += named.rank == rank ? 'n' : '.';
      const auto [entry, is_new] = known.emplace(likeness, kinds_.size());
      if (is_new) {
        kinds_.push_back(std::make_unique<Kind>());
        kinds_.back()->unit = unit_of(plan, ranks);
        kinds_.back()->states = std::make_unique<States>(simulator, kinds_.back()->unit);
      }
      kind_of_.push_back(entry->second);
    }
  }

  Exploration explore() {
    descend({});
    for (const auto& kind : kinds_) {
      result_.states += states_reached_[kind.get()];
      result_.runs += kind->states->transitions();
    }
    std::sort(result_.failures.begin(), result_.failures.end(),
              [](const FailureSeen& a, const FailureSeen& b) { return a.failure < b.failure; });
    return std::move(result_);
  }

 private:
  // Origins give each their own; others are alike where they have the same origin and keep nothing of their own.
  std::string origin_likeness(u32 event, u32 rank) const {
    const u32 origin = simulator_.origin_of(event, rank);
    return origin == rank ? fmt::format("o{}", rank) : fmt::format("r{}", origin);
  }

  // One point of the search: what is done, the state, and the steps of each stretch between broadcasts.
  struct Node {
    u64 done = 0;
    u32 state = 0;
    Sizes sizes;
    auto operator<=>(const Node&) const = default;
  };
  struct Reached {
    Natural orders;
    const Node* from = nullptr;  // one way to it
    u32 step = 0;
  };
  using Layer = std::map<Node, Reached>;

  const Answer& answer_of(size_t kind_number, const Meetings& meetings) {
    Kind& kind = *kinds_[kind_number];
    std::string key;
    for (const Meeting& meeting : meetings) {
      const auto& [event, rank] = meeting.point;
      key += fmt::format("{}@{}:", event, rank);
      if (rank != Step::all_ranks) continue;
      for (const u32 own : kind.unit.ranks)
        key += fmt::format("{},", meeting.given.at(simulator_.origin_of(event, own)));
    }
    const auto [known, is_new] = kind.answers.try_emplace(key);
    if (is_new) known->second = search(kind, meetings);
    return known->second;
  }

  Answer search(Kind& kind, const Meetings& meetings) {
    Answer answer;
    std::vector<Layer> layers(kind.unit.steps.size() + 1);
    layers[0][Node{0, kind.states->initial(), {0}}].orders = Natural(1);
    u64& reached = states_reached_[&kind];
    for (size_t depth = 0; depth < kind.unit.steps.size(); ++depth) {
      size_t followed = 0;
      for (const auto& [node, here] : layers[depth]) {
        if (result_.moves > limits_.moves && ++followed > followed_ways) {
          leave_out_ways(kind, layers[depth].size(), depth);
          break;
        }
        for (u32 step = 0; step < kind.unit.steps.size(); ++step) {
          if (!kind.unit.may_follow(node.done, step)) continue;
          ++result_.moves;
          if (std::optional<Node> next = follow(kind, node, step, meetings, answer)) {
            Reached& there = layers[depth + 1][*next];
            if (!there.from) {
              there.from = &node;
              there.step = step;
              ++reached;
            }
            there.orders += here.orders;
          }
        }
      }
      if (reached > limits_.states || result_.moves > limits_.moves) thin(kind, layers[depth + 1], depth + 1);
    }
    for (const auto& [node, end] : layers.back()) {
      Counts& counts = answer.ends[node.sizes];
      counts.orders += end.orders;
      if (kind.states->good(node.state)) counts.good += end.orders;
      note_failures(kind, node, end, layers);
    }
    return answer;
  }

  // Nothing where the step is the rank's own affair.
  std::optional<Point> point_of(const Kind& kind, const Step& step) const {
    if (step.rank == Step::all_ranks) return Point{step.event};
    const u32 rank = step.rank == Step::elsewhere ? step.other : kind.unit.ranks[size_t(step.rank)];
    const bool named = std::find(named_.begin(), named_.end(), NamedEvent{step.event, rank}) != named_.end();
    return named ? std::optional(Point{step.event, i32(rank)}) : std::nullopt;
  }

  void leave_out(std::string what) {
    result_.cut = true;
    if (std::find(result_.left_out.begin(), result_.left_out.end(), what) == result_.left_out.end()) {
      result_.left_out.push_back(std::move(what));
    }
  }

  void leave_out_ways(const Kind& kind, size_t ways, size_t depth) {
    if (!cut_kinds_.insert(&kind).second) return;
    const std::string who = together_ ? "the ranks together" : fmt::format("rank {}", kind.unit.ranks[0]);
    leave_out(fmt::format("of {}: after the first {} of {} events all but about {} of {} ways, and so on at each event",
                          who, depth, kind.unit.steps.size(), followed_ways, ways));
  }

  // Leaves some points of a layer, spread over it, from which orders are followed to their ends.
  void thin(const Kind& kind, Layer& layer, size_t depth) {
    if (layer.size() <= followed_ways) return;
    leave_out_ways(kind, layer.size(), depth);
    const size_t stride = layer.size() / followed_ways + 1;
    size_t n = 0;
    std::erase_if(layer, [&](const auto&) { return n++ % stride != 0; });
  }

  std::optional<Node> follow(Kind& kind, const Node& node, u32 step, const Meetings& meetings, Answer& answer) {
    Node next = node;
    next.done |= u64(1) << step;
    const Step& what = kind.unit.steps[step];
    const std::optional<Point> point = together_ ? std::nullopt : point_of(kind, what);
    if (!point || point->rank != Step::all_ranks) next.state = kind.states->after(node.state, step);
    if (!point) {
      ++next.sizes.back();
      return next;
    }
    const size_t so_far = node.sizes.size() - 1;
    next.sizes.push_back(0);
    if (point->rank != Step::all_ranks) {
      if (so_far == meetings.size()) answer.next[*point];
      return so_far < meetings.size() && meetings[so_far].point == *point ? std::optional(next) : std::nullopt;
    }
    const u32 rank = kind.unit.ranks[0], origin = simulator_.origin_of(what.event, rank);
    const u32 own = supply_number(simulator_.supply(kind.states->state(node.state).ranks[0], what.event));
    if (so_far == meetings.size()) {
      std::set<u32>& supplies = answer.next[*point];
      if (origin == rank) supplies.insert(own);
      return std::nullopt;
    }
    const Meeting& meeting = meetings[so_far];
    if (meeting.point != *point) return std::nullopt;
    const u32 given = meeting.given.at(origin);
    if (origin == rank && given != own) return std::nullopt;
    next.state = kind.states->after_receiving(node.state, step, supplies_[given], given);
    return next;
  }

  u32 supply_number(std::vector<BufferState> supply) {
    const auto known = std::find(supplies_.begin(), supplies_.end(), supply);
    if (known != supplies_.end()) return u32(known - supplies_.begin());
    supplies_.push_back(std::move(supply));
    return u32(supplies_.size() - 1);
  }

  void note_failures(const Kind& kind, const Node& node, const Reached& end, const std::vector<Layer>& layers) {
    for (u32 rank = 0; rank < kind.unit.ranks.size(); ++rank) {
      const i32 failure = kind.states->failure(node.state, rank);
      if (failure < 0) continue;
      const bool known = std::any_of(result_.failures.begin(), result_.failures.end(),
                                     [&](const FailureSeen& seen) { return seen.failure == failure; });
      if (known) continue;
      FailureSeen seen{failure, kind.unit.ranks[rank], {}};
      const Reached* at = &end;
      for (size_t depth = kind.unit.steps.size(); depth > 0; --depth) {
        const Step& step = kind.unit.steps[at->step];
        if (step.rank == Step::all_ranks || step.rank == i32(rank)) seen.order.insert(seen.order.begin(), step.event);
        at = &layers[depth - 1].at(*at->from);
      }
      result_.failures.push_back(std::move(seen));
    }
  }

  // The interleavings of ranks that do so many steps between meetings: each meeting is one point for all.
  void combine(const Meetings& meetings) {
    std::map<Sizes, Counts> sum{{Sizes(meetings.size() + 1, 0), {Natural(1), Natural(1)}}};
    for (const size_t kind : kind_of_) {
      std::map<Sizes, Counts> wider;
      for (const auto& [sizes, counts] : sum) {
        for (const auto& [more, ends] : answer_of(kind, meetings).ends) {
          Sizes total = sizes;
          Natural ways(1);
          for (size_t n = 0; n < total.size(); ++n) {
            total[n] = u16(total[n] + more[n]);
            ways = ways * Natural::binomial(total[n], more[n]);
          }
          Counts& there = wider[total];
          there.orders += counts.orders * ends.orders * ways;
          there.good += counts.good * ends.good * ways;
        }
      }
      sum = std::move(wider);
    }
    for (const auto& [sizes, counts] : sum) {
      result_.orders += counts.orders;
      result_.good += counts.good;
    }
  }

  void descend(const Meetings& meetings) {
    if (++choices_ > limits_.choices) {
      leave_out(fmt::format("what broadcasts bring in more than {} choices", limits_.choices));
      return;
    }
    if (result_.moves > 2 * limits_.moves) {
      leave_out(fmt::format("what broadcasts bring after {} choices", choices_));
      return;
    }
    std::map<Point, size_t> able;  // meetings, and how many ranks can take part next
    bool ended = true;
    for (const size_t kind : kind_of_) {
      const Answer& answer = answer_of(kind, meetings);
      ended = ended && answer.next.empty();
      for (const auto& [point, supplies] : answer.next) ++able[point];
    }
    if (ended) return combine(meetings);
    for (const auto& [point, count] : able) {
      if (count == kind_of_.size()) choose(meetings, point);
    }
  }

  // Every choice of what the origins of a broadcast give.
  void choose(const Meetings& meetings, const Point& point) {
    const u32 event = point.event;
    std::vector<Meetings> choices{meetings};
    choices.back().push_back({point, {}});
    for (u32 rank = 0; rank < kind_of_.size(); ++rank) {
      if (point.rank != Step::all_ranks || simulator_.origin_of(event, rank) != rank) continue;
      const std::set<u32> supplies = answer_of(kind_of_[rank], meetings).next.at(point);
      std::vector<Meetings> wider;
      for (const Meetings& choice : choices) {
        for (const u32 supply : supplies) {
          wider.push_back(choice);
          wider.back().back().given[rank] = supply;
        }
        if (wider.size() > limits_.choices) {
          wider.resize(limits_.choices);
          leave_out(fmt::format("of {}, more than {} choices of what the ranks give",
                                simulator_.plan().events[event].name, limits_.choices));
          break;
        }
      }
      choices = std::move(wider);
    }
    for (const Meetings& choice : choices) descend(choice);
  }

  Simulator& simulator_;
  const ExploreLimits limits_;
  bool together_ = false;
  std::vector<NamedEvent> named_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::vector<size_t> kind_of_;  // by rank; one alone where ranks are explored together
  std::vector<std::vector<BufferState>> supplies_;
  std::map<const Kind*, u64> states_reached_;
  std::set<const Kind*> cut_kinds_;
  u64 choices_ = 0;
  Exploration result_;
};

}  // namespace

Exploration explore(Simulator& simulator, const ExploreLimits& limits) { return Explorer(simulator, limits).explore(); }

}  // namespace ropewalk::init
