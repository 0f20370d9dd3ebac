#include "lib/diagnose/extents.h"

#include <fmt/format.h>

#include "lib/diagnose/attention_facts.h"
#include "lib/diagnose/predicted.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Another tensor by whose extent of one dimension this one is gone through.
struct Longer {
  const LaunchTensor* other = nullptr;
  std::string evidence;
};

std::optional<Longer> explained_by_another(const Finding& finding, const Scene& scene, const LaunchTensor& tensor,
                                           u64 dimension) {
  if (!is_stray(finding) || tensor.shape.back() == 0 || element_count(tensor.shape) > most_elements_of_a_guess)
    return std::nullopt;
  if (rotary_problem(scene) && !widths_fit(scene, tensor)) return std::nullopt;
  if (attention_problem(scene)) return std::nullopt;  // queries and keys are as many as the problem says
  const Seen seen = seen_of(tensor, scene);
  const RotaryProblem* problem = rotary_problem(scene);
  const i64 columns = tensor.shape.back();
  for (const LaunchTensor& other : scene.launch.tensors) {
    if (&other == &tensor || is_table(other) || other.shape.size() != tensor.shape.size()) continue;
    if (other.shape[dimension] <= tensor.shape[dimension] || other.shape.back() != columns) continue;
    Shape shape = tensor.shape;
    shape[dimension] = other.shape[dimension];
    if (element_count(shape) > most_elements_of_a_guess) continue;
    const i64 last = problem ? std::min(problem->width(), columns) : columns;
    const Prediction prediction = predict(tensor, {shape, tensor.strides, 0, last, {}});
    if (!explains(prediction, seen)) continue;
    return Longer{&other,
                  fmt::format("{} elements outside of {} are touched, and they are those that its strides reach "
                              "in a shape of {}",
                              seen.strays.size(), tensor.name, text_of(shape))};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> wrong_head_count(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || tensor->shape.size() < 3 || is_table(*tensor)) return std::nullopt;
  const u64 heads = tensor->shape.size() - 2;
  auto longer = explained_by_another(finding, scene, *tensor, heads);
  if (!longer) return std::nullopt;
  Cause cause;
  cause.id = "wrong-head-count";
  cause.text = fmt::format("{} is gone through with the {} heads of {}, and has {}", tensor->name,
                           longer->other->shape[heads], longer->other->name, tensor->shape[heads]);
  cause.evidence = {std::move(longer->evidence)};
  cause.advice = fmt::format("pass the number of heads of {} beside that of {}, and count to its own", tensor->name,
                             longer->other->name);
  return cause;
}

std::optional<Cause> unequal_batches(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  // Of three dimensions the first may be heads, or tokens.
  const u64 least = scene.problem ? 3 : 4;
  if (!tensor || tensor->shape.size() < least || is_table(*tensor)) return std::nullopt;
  auto longer = explained_by_another(finding, scene, *tensor, 0);
  if (!longer) return std::nullopt;
  Cause cause;
  cause.id = "unequal-batches";
  cause.text = fmt::format("{} is gone through to the end of {}: dimension 0 is {} there, and {} here", tensor->name,
                           longer->other->name, longer->other->shape[0], tensor->shape[0]);
  cause.evidence = {std::move(longer->evidence)};
  cause.advice =
      fmt::format("reject {} and {} of unequal batches before the launch", longer->other->name, tensor->name);
  return cause;
}

}  // namespace ropewalk::diagnose
