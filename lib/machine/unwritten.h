// Where values that nobody wrote come from. A read of unwritten memory is no defect by itself: it is reported when what
// was read matters, and then at the location of the read. Until then such values carry a source: a number for a set of
// reads. What is followed is a value with an occurrence to report where it matters; it need not be a read of unwritten
// bytes.
#pragma once
#include <vector>

#include "lib/machine/collector.h"

namespace ropewalk::machine {

class UnwrittenReads {
 public:
  static constexpr u32 none = 0;
  // A register that nobody wrote: reported where it is used, for there is no read of memory to report.
  static constexpr u32 a_register = 1;
  // An access that was reported: what comes from it alone is not reported again.
  static constexpr u32 a_finding = 2;

  UnwrittenReads() { clear(); }
  void clear();

  // A source for one read of bytes that nobody wrote.
  u32 add(Occurrence read);
  // The same of bytes that pad a struct: copies of them are not reported, what is computed with them is.
  u32 add_padding(Occurrence read);
  bool is_padding(u32 source) const { return nodes_[source].is_padding; }
  // The source of what is computed with a value.
  u32 computed(u32 source);
  // Whether it is of what was computed, and not of copies of what one read gave.
  bool is_computed(u32 source) const { return nodes_[source].left != none && !is_padding(source); }
  // The source of a value that is made of both.
  u32 join(u32 a, u32 b);
  // Whether nothing is left to report of it, wherever it is used.
  bool is_reported(u32 source) const { return nodes_[source].is_reported && !nodes_[source].has_register; }
  // The reads that the source stands for gave what they should, as was found out later: they are not reported.
  void confirm(u32 source);
  // The one read that it stands for, also of what was computed; nullptr: there are several, or none.
  const Occurrence* read_of(u32 source) const;
  // Tells of every read that the source stands for, each once in all. True: a register is among it too.
  bool report(u32 source, Collector& collector);
  // Sources and what they are made of, a bit each.
  using Sources = std::vector<bool>;
  // The same of what is left to report and not known, and leaves it to report. True: a register is among it, and the
  // source was not known.
  bool tell(u32 source, Sources& known, Collector& collector) const;

 private:
  struct Node {
    u32 left = none, right = none;  // none: a read
    u32 read = 0;                   // index into reads_
    u32 computed = none;            // of a read: the source of what is computed with it, once there is one
    bool has_register = false;
    bool is_reported = false;  // nothing below is left to report
    bool is_padding = false;
  };
  // A set that was made lately: of these parts, and its number.
  struct Joined {
    u64 parts = 0;
    u32 node = none;
  };

  // Calls body(read) for every read that is left to report, and leaves none.
  template <class Body>
  void take_reads(u32 source, Body body);

  std::vector<Node> nodes_;
  std::vector<Occurrence> reads_;
  bool has_joined_ = false;
  std::vector<Joined> joined_;  // by a hash of both parts: what is not found is made again
};

}  // namespace ropewalk::machine
