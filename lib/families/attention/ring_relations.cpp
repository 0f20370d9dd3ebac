// Relations of attention over the ranks of a ring, forward and backward. Two launches that must agree may differ by the
// sum of what is justified for each of them.
#include "lib/compare/ring_tensors.h"
#include "lib/families/attention/attention_pairs.h"
#include "lib/families/attention/attention_relations.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using campaign::BoundedOutput;
using campaign::RelationScene;
using compare::Judgement;

namespace {

// Deals the scene's inputs out to the ranks of a launch of `dealt`, each token with what it holds in the scene; numbers
// of v times `factor`.
void deal_out(const RelationScene& scene, const AttentionProblem& dealt, Launch& launch, double factor) {
  const compare::RingPositions here(attention(scene)), there(dealt);
  for (const char* tensor : {"q", "k", "v", "dout"}) {
    if (!has(scene, compare::name_of_rank(tensor, 0))) continue;
    std::vector<double> whole = here.whole_values(scene.launch(), tensor);
    for (double& value : whole) value *= tensor == std::string_view("v") ? factor : 1;
    for (i64 rank = 0; rank < dealt.ranks; ++rank) {
      const std::string name = compare::name_of_rank(tensor, rank);
      const Shape& shape = launch.tensors[u64(launch.tensor_named(name))].shape;
      std::vector<double> part;
      for (const u64 n : there.elements(shape, rank)) part.push_back(whole[n]);
      campaign::set_input(launch, name, part);
    }
  }
}

// The tensor of all ranks of a launch of `dealt`, put together; `like` is the shape of a part of another one.
BoundedOutput whole_output(const std::vector<BoundedOutput>& parts, const AttentionProblem& dealt, const Shape& like) {
  const compare::RingPositions positions(dealt);
  const Shape shape = positions.part_like(like);
  BoundedOutput whole;
  for (i64 rank = 0; rank < dealt.ranks; ++rank) {
    const BoundedOutput& part = parts[u64(rank)];
    const std::vector<u64> elements = positions.elements(shape, rank);
    whole.value.resize(part.value.size() * u64(dealt.ranks));
    whole.bound.resize(whole.value.size());
    for (u64 n = 0; n < elements.size(); ++n) {
      whole.value[elements[n]] = part.value[n];
      whole.bound[elements[n]] = part.bound[n];
    }
  }
  return whole;
}

// Of all ranks one has its outputs compared with another launch, which is run for each: the reference looks at all.
bool is_looked_at(const RelationScene& scene, i64 rank) {
  return rank == i64(seed_of(scene.problem()) % u64(attention(scene).ranks));
}

// Holds a rank's output times `output_factor` against that of a launch in which the same tokens are dealt out
// otherwise, and v is `factor` times what it was.
std::optional<Judgement> equals(const RelationScene& scene, const std::string& output, const AttentionProblem& dealt,
                                double factor, double output_factor) {
  const compare::RankedName name = *compare::ranked_name(output);
  if (!is_looked_at(scene, name.rank)) return Judgement{};
  std::vector<std::string> names;
  for (i64 rank = 0; rank < dealt.ranks; ++rank) names.push_back(compare::name_of_rank(name.tensor, rank));
  const auto run = scene.run(dealt, names, [&](Launch& launch) { deal_out(scene, dealt, launch, factor); });
  if (!run) return std::nullopt;
  const Shape& shape = scene.tensor(output).shape;
  const BoundedOutput there = whole_output(*run, dealt, shape);
  const BoundedOutput here = scene.output(output);
  const std::vector<u64> elements = compare::RingPositions(attention(scene)).elements(shape, name.rank);
  campaign::RelationJudge judge(scene.tensor(output));
  for (u64 n = 0; n < elements.size(); ++n) {
    judge.compare(i64(n), here.value[n] * output_factor, there.value[elements[n]],
                  here.bound[n] * output_factor + there.bound[elements[n]]);
  }
  return judge.judgement();
}

bool has_ranks(const RelationScene& scene) { return attention(scene).ranks > 1; }

std::optional<Judgement> equals_one_rank(const RelationScene& scene, const std::string& output) {
  AttentionProblem one = attention(scene);
  one.ranks = 1;
  one.zigzag = false;
  return equals(scene, output, one, 1, 1);
}

bool is_zigzag(const RelationScene& scene) { return has_ranks(scene) && attention(scene).zigzag; }

std::optional<Judgement> equals_chunks_in_order(const RelationScene& scene, const std::string& output) {
  AttentionProblem in_order = attention(scene);
  in_order.zigzag = false;
  return equals(scene, output, in_order, 1, 1);
}

bool has_outputs(const RelationScene& scene) { return has(scene, "out.rank0"); }

std::optional<Judgement> ranks_scale_with_values(const RelationScene& scene, const std::string& output) {
  return equals(scene, output, attention(scene), 2, output.starts_with("out") ? 2 : 1);  // exact
}

}  // namespace

const std::vector<campaign::Relation>& ring_relations() {
  static const std::vector<campaign::Relation> relations = {
      {"a ring is one rank", has_ranks, equals_one_rank},
      {"zigzag is chunks in order", is_zigzag, equals_chunks_in_order},
      {"v times 2 is out times 2", has_outputs, ranks_scale_with_values}};
  return relations;
}

}  // namespace ropewalk::attention
