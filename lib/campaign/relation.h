// What a relation works with: the case at hand, and launches of related problems.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/campaign/examine.h"
#include "lib/compare/judge.h"

namespace ropewalk::campaign {

// An output after a launch: values and the bounds of their errors, row-major.
struct BoundedOutput {
  std::vector<double> value;
  std::vector<double> bound;  // infinite where nothing is expected
};

// A case whose outputs agreed with what was expected of them.
class RelationScene {
 public:
  RelationScene(const Trial& trial, const Launch& launch, const Outcome& outcome, Executor& executor,
                const RunOptions& options);

  const Problem& problem() const { return trial_.problem; }
  // Whether the kernel's preconditions allow a related problem.
  bool takes(const Problem& problem) const { return trial_.kernel.reject(problem).empty(); }
  const Launch& launch() const { return launch_; }
  const LaunchTensor& tensor(const std::string& name) const;
  BoundedOutput output(const std::string& name) const { return output_of(launch_, outcome_, name); }
  // What a tensor held at first, row-major.
  std::vector<double> input(const std::string& name) const;
  // Runs the kernel on a related problem whose tensors `change` may give other contents, and gives the outputs of those
  // names, in their order. nullopt where the preconditions reject it or it does not agree.
  std::optional<std::vector<BoundedOutput>> run(const Problem& problem, const std::vector<std::string>& outputs,
                                                const std::function<void(Launch&)>& change = {}) const;

 private:
  static BoundedOutput output_of(const Launch& launch, const Outcome& outcome, const std::string& name);

  const Trial& trial_;
  const Launch& launch_;
  const Outcome& outcome_;
  Executor& executor_;
  RunOptions options_;
};

// Gives the launch's tensor of that name other contents, row-major and rounded to its dtype.
void set_input(Launch& launch, const std::string& name, const std::vector<double>& values);

// The numbers of elements with one dimension reversed: element n belongs to element reversed[n] of the other run.
std::vector<u64> reversed(const Shape& shape, u64 dimension);

// Counts comparisons of one output, and keeps the first and the worst that is outside of its bound.
class RelationJudge {
 public:
  explicit RelationJudge(const LaunchTensor& tensor);
  // `n` is the row-major number of the element that the comparison is about. An infinite bound compares nothing.
  void compare(i64 n, double got, double expected, double bound);
  const compare::Judgement& judgement() const { return judgement_; }

 private:
  const LaunchTensor& tensor_;
  compare::Judgement judgement_;
};

// A relation, by its name as a person says it.
struct Relation {
  std::string name;  // "rotation keeps the norm of each pair"
  bool (*applies)(const RelationScene& scene);
  // What is compared of which output; nullopt where a related problem did not run.
  std::optional<compare::Judgement> (*judge)(const RelationScene& scene, const std::string& output);
};

}  // namespace ropewalk::campaign
