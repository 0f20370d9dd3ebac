#include "lib/diagnose/wrong_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/compare/elements.h"
#include "lib/compare/ring_tensors.h"
#include "lib/diagnose/observed.h"
#include "lib/diagnose/output_hypothesis.h"
#include "lib/diagnose/touched.h"

namespace ropewalk::diagnose {
namespace {

// A hypothesis compared with what was observed.
struct Residual {
  u64 compared = 0, wrong = 0;
  double largest = 0;  // |observed - expected|
  u64 explained = 0;   // elements that are wrong by the right hypothesis, and right by this one
  u64 numbers = 0;     // of these, finite ones
};

std::vector<double> numbers_of(const Array& array) {
  std::vector<double> numbers(u64(element_count(array.shape)));
  compare::read_elements(array.bytes.data(), array.dtype, 1, i64(numbers.size()), numbers.data());
  return numbers;
}

// A NaN that is expected stands for whatever is not finite.
bool is_within(double got, double value, double bound) {
  return got == value || std::abs(got - value) <= bound || (std::isnan(value) && !std::isfinite(got));
}

Residual residual_of(const Expected& hypothesis, const Expected& right, const Observed& observed) {
  Residual out;
  for (u64 n = 0; n < observed.value.size(); ++n) {
    if (!observed.known[n] || hypothesis.bound[n] == anything || right.bound[n] == anything) continue;
    ++out.compared;
    const double got = observed.value[n], error = std::abs(got - hypothesis.value[n]);
    out.largest = std::max(out.largest, std::isnan(error) ? anything : error);
    const bool fits = is_within(got, hypothesis.value[n], hypothesis.bound[n]);
    out.wrong += !fits;
    const bool explained = fits && !is_within(got, right.value[n], right.bound[n]);
    out.explained += explained;
    out.numbers += explained && std::isfinite(got);
  }
  return out;
}

std::string text_of(const Residual& residual) {
  return fmt::format("{} of {} elements are outside the bound, largest difference {:.3g}", residual.wrong,
                     residual.compared, residual.largest);
}

// `most`: what a hypothesis says nothing of may not be most of what is wrong.
std::vector<Cause> causes_by_hypotheses(const Finding& finding, const Scene& scene, bool most) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::OutputMismatch || !scene.problem || !tensor) return {};
  // What was read from shared memory too early or too late is no hypothesis of the problem, however well one may fit.
  const bool raced = std::any_of(scene.findings.begin(), scene.findings.end(),
                                 [](const Finding& other) { return other.rule == Rule::SharedRace; });
  if (raced) return {};
  const Expectation* expectation = expectation_of(*tensor, scene.launch);
  const auto seen = expectation ? observed(*tensor, scene) : std::nullopt;
  if (!seen) return {};
  const Expected right{numbers_of(*expectation->values), numbers_of(*expectation->bound)};
  const std::vector<OutputHypothesis> hypotheses = scene.family->output_hypotheses(*tensor, *scene.problem, scene);
  const Residual asked = residual_of(right, right, *seen);

  // Weights of rows whose lse is -inf are infinite by any wrong mask, and spoil all that they go into: what is not
  // finite does not tell which mask it was.
  const bool numbers_tell = compare::is_backward(scene.launch);
  bool any_known = false;
  std::vector<Cause> causes;
  const OutputHypothesis* next_best = nullptr;
  Residual next_residual;
  for (const OutputHypothesis& hypothesis : hypotheses) {
    const Residual residual = residual_of(hypothesis.expected, right, *seen);
    if (residual.wrong) {
      if (!next_best || residual.wrong < next_residual.wrong) next_best = &hypothesis, next_residual = residual;
      continue;
    }
    if (residual.explained == 0 || (most && 2 * residual.explained < asked.wrong)) continue;
    any_known |= residual.numbers > 0 || !numbers_tell;
    const auto known = std::ranges::find(causes, hypothesis.cause, &Cause::id);
    if (known != causes.end()) {
      if (known->text != hypothesis.text)
        known->evidence.push_back("the same comes of another hypothesis: " + hypothesis.text);
      continue;
    }
    causes.push_back({hypothesis.cause,
                      hypothesis.text,
                      {fmt::format("read so, all {} elements of {} are as observed, largest difference {:.3g}",
                                   residual.compared, tensor->name, residual.largest),
                       "read as asked, " + text_of(asked)},
                      hypothesis.advice});
  }
  if (causes.size() == 1 && !any_known) return {};
  for (Cause& cause : causes) {
    if (next_best)
      cause.evidence.push_back(
          fmt::format("the next best hypothesis ({}): {}", next_best->text, text_of(next_residual)));
  }
  return causes;
}

}  // namespace

std::vector<Cause> causes_of_output(const Finding& finding, const Scene& scene) {
  return causes_by_hypotheses(finding, scene, true);
}

std::optional<Cause> shared_cause_of_output(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::OutputMismatch || !tensor) return std::nullopt;
  const Cause* named = nullptr;
  for (const Finding& other : scene.findings) {
    if (!other.cause || tensor_of(other, scene) != tensor) continue;
    if (named && named->id != other.cause->id) return std::nullopt;
    named = &*other.cause;
  }
  if (!named) return std::nullopt;
  std::vector<Cause> causes = causes_by_hypotheses(finding, scene, false);
  std::erase_if(causes, [&](const Cause& cause) { return cause.id != named->id; });
  if (causes.empty()) return std::nullopt;
  causes.front().evidence.push_back(fmt::format("the other findings of {} have this cause", tensor->name));
  return std::move(causes.front());
}

}  // namespace ropewalk::diagnose
