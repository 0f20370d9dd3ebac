#include "lib/families/rotary/rotary_extremes.h"

#include "lib/problem/rotary.h"

namespace ropewalk::rotary {
namespace {

constexpr i64 wide = i64(1) << 30;  // two of it are more than 32 bits hold
constexpr i64 many = 65537;         // more than 16 bits count

// What a kernel has an entry for: extremes are made for the widest elements and for the narrowest.
struct Form {
  const char* name;
  Dtype dtype;
  RotaryLayout layout;
};
constexpr Form forms[] = {{"", Dtype::F32, RotaryLayout::Half},
                          {", narrow and interleaved", Dtype::BF16, RotaryLayout::Interleaved}};

class Extremes {
 public:
  Extremes(const Kernel& kernel, RotaryTask task) : family_(kernel), task_(task) {}

  std::vector<generate::Extreme> take() { return std::move(all_); }

  void of_tables() {
    RotaryProblem problem;
    problem.tokens = 2;
    problem.head_dim = 400;
    add("a head wider than a block", problem);
    // From 105615 on the CUDA toolkit's sine and cosine reduce their angles in another way.
    problem.tokens = 300000;
    problem.head_dim = 2;
    add("more rows than 16 bits count", problem, 512);
    problem.tokens = 2;
    problem.head_dim = 2048;
    problem.theta = 1.7e308;  // theta^(-2 r / width) is no normal f64 at the end
    add("frequencies that f32 rounds to 0", problem);
    problem.tokens = 5;
    problem.head_dim = 8192;
    problem.theta = 1e-20;
    problem.given_frequencies = true;  // the angles of rows 1, 2 and 4 are known exactly
    add("angles up to 2^64", problem);
    problem = {};
    problem.tokens = 13;
    problem.head_dim = 1 << 16;
    problem.theta = 500000;  // of pair 2607 the frequency is nearly between two numbers of f32
    add("frequencies that are hard to round", problem);
  }

  void of_rows(const Form& form) {
    form_ = &form;
    elements_ = 16 / size_of(form.dtype);
    blocks();
    strides(false);
    if (task_ == RotaryTask::Apply) strides(true);
    task_ == RotaryTask::Apply ? of_apply() : of_keys();
    if (&form == forms) counts();  // which elements have no part in
  }

 private:
  // Heads of two times 16 bytes.
  RotaryProblem small() const {
    RotaryProblem problem;
    problem.tokens = 1;
    problem.head_dim = 2 * elements_;
    problem.key_heads = task_ == RotaryTask::Keys ? 1 : 0;
    return in_form(problem);
  }

  // Seven times 16 bytes are not rotated.
  RotaryProblem with_tail() const {
    RotaryProblem problem = small();
    problem.head_dim = 9 * elements_;
    problem.rotary_dim = 2 * elements_;
    return problem;
  }

  RotaryProblem in_form(RotaryProblem problem) const {
    problem.dtype = form_->dtype;
    problem.layout = form_->layout;
    problem.offset = 1;
    return problem;
  }

  void blocks() {
    RotaryProblem problem;
    problem.tokens = 2;
    problem.head_dim = 400;
    problem.rotary_dim = 264;
    add("a head wider than a block", in_form(problem));
    problem = small();
    problem.batch = 256;
    problem.heads = 5;
    if (task_ == RotaryTask::Apply) problem.head_dim = 16 * elements_;
    add("more heads than blocks that share them", problem);
    if (task_ != RotaryTask::Apply) return;
    problem.inplace = true;
    add("more heads than blocks that share them, in place", problem);
  }

  // In place the strides of the output are those of the input.
  void strides(bool in_place) {
    const std::string where = in_place ? ", in place" : "";
    RotaryProblem problem = small();
    problem.inplace = in_place;
    problem.batch = 3;
    problem.token_gap = wide;
    add("a batch stride that 32 bits do not hold twice" + where, problem);
    problem.batch = 1;
    problem.tokens = 3;
    add("a token stride that 32 bits do not hold twice" + where, problem);
    problem = small();
    problem.inplace = in_place;
    problem.heads = 3;
    problem.row_gap = wide;
    add("a head stride that 32 bits do not hold twice" + where, problem);
  }

  void of_apply() {
    RotaryProblem problem = small();
    problem.inplace = true;
    problem.tokens = 3;
    problem.token_gap = wide;
    problem.cu_seqlens = {0, 2, 3};
    add("a sequence that begins behind what 32 bits hold, in place", problem);
    problem = with_tail();
    problem.heads = 3;
    problem.row_gap = wide;
    add("a head stride that 32 bits do not hold twice, with columns that are not rotated", problem);
    problem.row_gap = 0;
    problem.out_gap = wide;
    add("an output's head stride that 32 bits do not hold twice, with columns that are not rotated", problem);
    problem = small();
    problem.batch = 3;
    problem.tokens = 3;
    problem.out_gap = wide;
    add("an output's strides that 32 bits do not hold", problem);
  }

  void of_keys() {
    RotaryProblem problem = small();
    problem.head_dim = i64(1) << 20;
    problem.rotary_dim = 8;
    problem.key_heads = 2303;  // the last head of all is one of the first block's
    add("a head of k that begins behind what 32 bits hold", problem, 2);
  }

  void counts() {
    RotaryProblem problem = small();
    problem.batch = many;
    add("more sequences than 16 bits count", problem, 32);
    problem = small();
    problem.heads = many;
    add("more heads than 16 bits count", problem, 32);
    problem = task_ == RotaryTask::Apply ? with_tail() : small();
    problem.batch = (i64(1) << 20) + 1;
    problem.heads = 1024;
    add("more elements than 31 bits count", problem, 8);
  }

  void add(const std::string& name, const RotaryProblem& problem, u64 blocks = 0) {
    if (!unanswerable(family_, problem).empty()) return;
    all_.push_back({name + (form_ ? form_->name : ""), problem, blocks});
  }

  const Kernel& family_;
  const RotaryTask task_;
  const Form* form_ = nullptr;
  i64 elements_ = 0;  // of 16 bytes
  std::vector<generate::Extreme> all_;
};

}  // namespace

std::vector<generate::Extreme> rotary_extremes(const Kernel& kernel, RotaryTask task) {
  Extremes extremes(kernel, task);
  if (task == RotaryTask::Cache) {
    extremes.of_tables();
  } else {
    for (const Form& form : forms) extremes.of_rows(form);
  }
  return extremes.take();
}

}  // namespace ropewalk::rotary
