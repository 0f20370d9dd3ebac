#include "lib/families/attention/page_hypotheses.h"

#include <fmt/format.h>

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {
namespace {

class Hypotheses {
 public:
  Hypotheses(const AttentionProblem& problem, const Launch& launch) : problem_(problem), size_(problem.page_size) {
    if (size_) columns_ = compare::tensor_of(launch, "block_table").shape.back();
  }

  PageHypothesis right() const {
    PageHypothesis hypothesis{"page-table",
                              "the block table is taken as it is",
                              "key j of sequence b is in page block_table[b, j / page_size], at its row j % page_size",
                              {},
                              {}};
    const i64 columns = columns_, size = size_, room = problem_.key_tokens;
    if (size == 0) {
      hypothesis.entry = [](i64, i64) { return i64(-1); };
      hypothesis.row = [=](i64 sequence, i64 key, i64) { return sequence * room + key; };
    } else {
      hypothesis.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / size; };
      hypothesis.row = [=](i64, i64 key, i64 page) { return page * size + key % size; };
    }
    return hypothesis;
  }

  std::vector<PageHypothesis> all() {
    of_lengths();
    if (size_) {
      of_table();
      of_pages();
    }
    return std::move(hypotheses_);
  }

 private:
  PageHypothesis& add(const std::string& text) {
    hypotheses_.push_back(right());
    hypotheses_.back().text = text;
    return hypotheses_.back();
  }

  void of_lengths() {
    if (problem_.key_lengths.empty()) return;
    PageHypothesis& all =
        add(fmt::format("every sequence is taken to have {} keys, whatever key_lengths says", problem_.key_tokens));
    all.cause = "key-lengths";
    all.advice = "sequence b has key_lengths[b] keys: loops, masks and the causal position of queries count from there";
    all.all_keys = true;
  }

  void of_table() {
    const i64 columns = columns_, size = size_;
    PageHypothesis& in_order = add("the block table is not read: sequences have the pages in their order");
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
        PageHypothesis& tiles = add(fmt::format(
            "the page is looked up once for {} keys, and a page has {}: keys run on past its end", tile, size));
        tiles.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / tile * tile / size; };
        tiles.row = [=](i64, i64 key, i64 page) {
          const i64 first = key / tile * tile;
          return page * size + first % size + key - first;
        };
      }
      if (tile != size) {
        PageHypothesis& other = add(fmt::format("pages are taken to have {} tokens, and they have {}", tile, size));
        other.entry = [=](i64 sequence, i64 key) { return sequence * columns + key / tile; };
        other.row = [=](i64, i64 key, i64 page) { return page * size + key % tile; };
      }
    }
    PageHypothesis& whole = add("v is read to the end of a sequence's last page");
    whole.cause = "masked-nan";
    whole.advice = "load rows of v past the last key as zeros: a weight of 0 does not mask NaN";
    whole.values_alone = true;
    whole.beyond = size;
  }

  const AttentionProblem& problem_;
  const i64 size_;
  i64 columns_ = 0;
  std::vector<PageHypothesis> hypotheses_;
};

}  // namespace

std::vector<PageHypothesis> page_hypotheses(const AttentionProblem& problem, const Launch& launch) {
  return Hypotheses(problem, launch).all();
}

PageHypothesis right_pages(const AttentionProblem& problem, const Launch& launch) {
  return Hypotheses(problem, launch).right();
}

KeyRow cached_rows_of(const PageHypothesis& hypothesis, const AttentionProblem& problem, const Launch& launch) {
  std::vector<double> table;
  if (problem.page_size) table = compare::initial_values(compare::tensor_of(launch, "block_table"));
  return [hypothesis, table](i64 sequence, i64 key) {
    const i64 entry = hypothesis.entry(sequence, key);
    if (entry >= i64(table.size())) return i64(-1);
    return hypothesis.row(sequence, key, entry < 0 ? 0 : i64(table[u64(entry)]));
  };
}

}  // namespace ropewalk::attention
