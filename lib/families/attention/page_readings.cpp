#include "lib/families/attention/page_readings.h"

#include <fmt/format.h>

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk {
namespace {

class Readings {
 public:
  Readings(const AttentionProblem& problem, const Launch& launch) : problem_(problem), size_(problem.page_size) {
    if (size_) columns_ = tensor_of(launch, "block_table").shape.back();
  }

  PageReading right() const {
    PageReading reading{"page-table",
                        "the block table is taken as it is",
                        "key j of sequence b is in page block_table[b, j / page_size], at its row j % page_size",
                        {},
                        {}};
    const i64 columns = columns_, size = size_, room = problem_.key_tokens;
    if (size == 0) {
      reading.entry = [](i64, i64) { return i64(-1); };
      reading.row = [=](i64 sequence, i64 key, i64) { return sequence * room + key; };
    } else {
      reading.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / size; };
      reading.row = [=](i64, i64 key, i64 page) { return page * size + key % size; };
    }
    return reading;
  }

  std::vector<PageReading> all() {
    of_lengths();
    if (size_) {
      of_table();
      of_pages();
    }
    return std::move(readings_);
  }

 private:
  PageReading& add(const std::string& text) {
    readings_.push_back(right());
    readings_.back().text = text;
    return readings_.back();
  }

  void of_lengths() {
    if (problem_.key_lengths.empty()) return;
    PageReading& all =
        add(fmt::format("every sequence is taken to have {} keys, whatever key_lengths says", problem_.key_tokens));
    all.cause = "key-lengths";
    all.advice = "sequence b has key_lengths[b] keys: loops, masks and the causal place of queries count from there";
    all.all_keys = true;
  }

  void of_table() {
    const i64 columns = columns_, size = size_;
    PageReading& in_order = add("the block table is not read: sequences have the pages in their order");
    in_order.entry = [](i64, i64) { return i64(-1); };
    in_order.row = [=](i64 sequence, i64 key, i64) { return sequence * columns * size + key; };
    if (problem_.batch < 2) return;
    add("every sequence has the pages of the first row of the block table").entry = [=](i64, i64 key) {
      return key / size;
    };
    add("the row of sequence b in the block table begins at entry b").entry = [=](i64 sequence, i64 key) {
      return sequence + key / size;
    };
    add("rows of the block table are taken to be as long as there are pages").entry =
        [=, pool = pages_in_pool(problem_)](i64 sequence, i64 key) { return sequence * pool + key / size; };
  }

  void of_pages() {
    const i64 columns = columns_, size = size_;
    for (const i64 tile : {16, 32, 64, 128}) {
      if (tile > size) {
        PageReading& tiles = add(fmt::format(
            "the page is looked up once for {} keys, and a page has {}: keys run on past its end", tile, size));
        tiles.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / tile * tile / size; };
        tiles.row = [=](i64, i64 key, i64 page) {
          const i64 first = key / tile * tile;
          return page * size + first % size + key - first;
        };
      }
      if (tile != size) {
        PageReading& other = add(fmt::format("pages are taken to have {} tokens, and they have {}", tile, size));
        other.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / tile; };
        other.row = [=](i64, i64 key, i64 page) { return page * size + key % tile; };
      }
    }
    PageReading& whole = add("v is read to the end of a sequence's last page");
    whole.cause = "masked-nan";
    whole.advice = "load rows of v past the last key as zeros: a weight of 0 does not mask NaN";
    whole.values_alone = true;
    whole.beyond = size;
  }

  const AttentionProblem& problem_;
  const i64 size_;
  i64 columns_ = 0;
  std::vector<PageReading> readings_;
};

}  // namespace

std::vector<PageReading> page_readings(const AttentionProblem& problem, const Launch& launch) {
  return Readings(problem, launch).all();
}

PageReading right_pages(const AttentionProblem& problem, const Launch& launch) {
  return Readings(problem, launch).right();
}

KeyPlace places_of(const PageReading& reading, const AttentionProblem& problem, const Launch& launch) {
  std::vector<double> table;
  if (problem.page_size) table = initial_values(tensor_of(launch, "block_table"));
  return [reading, table](i64 sequence, i64 key) {
    const i64 entry = reading.entry(sequence, key);
    if (entry >= i64(table.size())) return i64(-1);
    return reading.row(sequence, key, entry < 0 ? 0 : i64(table[u64(entry)]));
  };
}

}  // namespace ropewalk
