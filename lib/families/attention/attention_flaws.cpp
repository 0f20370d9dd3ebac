#include "lib/families/attention/attention_flaws.h"

#include <algorithm>

#include "lib/generate/parts_of.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using generate::Flaw;
using generate::flaw_below;
using generate::flaw_of;

namespace {

using Attention = AttentionProblem;
using Cu = std::vector<i64> Attention::*;

// One flaw of either list, by a function that breaks a list and one that says whether it is broken.
void add_of_list(std::vector<Flaw>& flaws, const std::string& name, Cu field,
                 const std::function<bool(Attention&, std::vector<i64>&, Random&)>& breaks,
                 const std::function<bool(const Attention&, const std::vector<i64>&)>& is_in) {
  flaws.push_back(flaw_of<Attention>(
      name,
      [=](Attention& problem, Random& random) {
        return !(problem.*field).empty() && breaks(problem, problem.*field, random);
      },
      [=](const Attention& problem) { return !(problem.*field).empty() && is_in(problem, problem.*field); }));
}

void add_of_lists(std::vector<Flaw>& flaws, const std::string& of, Cu field, i64 Attention::*rows,
                  i64 Attention::*longest) {
  const std::string name = "cu_seqlens_" + of;
  add_of_list(
      flaws, name + " that do not start at 0", field,
      [](Attention&, std::vector<i64>& cu, Random& random) {
        cu.front() = random.below(2) ? 1 : -1;
        return true;
      },
      [](const Attention&, const std::vector<i64>& cu) { return cu.front() != 0; });
  add_of_list(
      flaws, name + " that decrease", field,
      [=](Attention& problem, std::vector<i64>& cu, Random&) {
        if (cu.size() < 3 || problem.*rows < 2) return false;
        cu[1] = problem.*rows;
        cu[2] = problem.*rows - 1;
        return true;
      },
      [](const Attention&, const std::vector<i64>& cu) { return !std::is_sorted(cu.begin(), cu.end()); });
  add_of_list(
      flaws, name + " past the rows", field,
      [=](Attention& problem, std::vector<i64>& cu, Random& random) {
        cu.back() = problem.*rows + random.between(1, 4);
        return true;
      },
      [=](const Attention& problem, const std::vector<i64>& cu) {
        return *std::max_element(cu.begin(), cu.end()) > problem.*rows;
      });
  add_of_list(
      flaws, "a sequence longer than max_seqlen_" + of, field,
      [=](Attention& problem, std::vector<i64>& cu, Random&) {
        i64 most = 0;
        for (u64 n = 1; n < cu.size(); ++n) most = std::max(most, cu[n] - cu[n - 1]);
        problem.*longest = most - 1;
        return most > 1;
      },
      [=](const Attention& problem, const std::vector<i64>& cu) {
        i64 most = 0;
        for (u64 n = 1; n < cu.size(); ++n) most = std::max(most, cu[n] - cu[n - 1]);
        return problem.*longest > 0 && most > problem.*longest;
      });
}

void add_of_words(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Attention>(
      "heads of q that are no multiple of those of k",
      [](Attention& p, Random& random) {
        p.key_heads = p.heads + random.between(1, 3);
        return true;
      },
      [](const Attention& p) { return p.key_heads > 0 && p.heads > 0 && p.heads % p.key_heads != 0; }));
  flaws.push_back(flaw_of<Attention>(
      "k and v of another dtype than q",
      [](Attention& p, Random&) {
        p.key_dtype = p.dtype == Dtype::BF16 ? Dtype::F16 : Dtype::BF16;
        return true;
      },
      [](const Attention& p) { return p.key_dtype && *p.key_dtype != p.dtype; }));
  flaws.push_back(flaw_of<Attention>(
      "a dtype that no kernel has",
      [](Attention& p, Random&) {
        p.dtype = Dtype::F64;
        return true;
      },
      [](const Attention& p) { return p.dtype != Dtype::F32 && p.dtype != Dtype::F16 && p.dtype != Dtype::BF16; }));
  flaws.push_back(flaw_of<Attention>(
      "a head of more than 256 columns",
      [](Attention& p, Random& random) {
        (random.below(2) ? p.head_dim : p.value_dim) = 257;
        return true;
      },
      [](const Attention& p) { return p.head_dim > 256 || p.value_dim > 256; }));
  flaws.push_back(flaw_of<Attention>(
      "a window below -1",
      [](Attention& p, Random& random) {
        p.window = {4, 4};
        p.window[random.below(2)] = -random.between(2, 9);
        return true;
      },
      [](const Attention& p) {
        return std::any_of(p.window.begin(), p.window.end(), [](i64 side) { return side < -1; });
      }));
  flaws.push_back(flaw_of<Attention>(
      "a window of one side",
      [](Attention& p, Random&) {
        p.window = {4};
        return true;
      },
      [](const Attention& p) { return !p.window.empty() && p.window.size() != 2; }));
  flaws.push_back(flaw_of<Attention>(
      "a negative softcap",
      [](Attention& p, Random&) {
        p.softcap = -30;
        return true;
      },
      [](const Attention& p) { return p.softcap < 0; }));
  flaws.push_back(flaw_of<Attention>(
      "a negative scale",
      [](Attention& p, Random&) {
        p.scale = -0.125;
        return true;
      },
      [](const Attention& p) { return p.scale < 0; }));
}

}  // namespace

std::vector<Flaw> attention_flaws() {
  std::vector<Flaw> flaws;
  add_of_words(flaws);
  flaws.push_back(flaw_below("B", &Attention::batch, 1));
  flaws.push_back(flaw_below("Tq", &Attention::query_tokens, 1));
  flaws.push_back(flaw_below("Tk", &Attention::key_tokens, 1));
  flaws.push_back(flaw_below("H", &Attention::heads, 1));
  flaws.push_back(flaw_below("D", &Attention::head_dim, 1));
  flaws.push_back(flaw_below("k_gap", &Attention::k_gap, 0));
  flaws.push_back(flaw_of<Attention>(
      "max_seqlen without cu_seqlens",
      [](Attention& p, Random& random) {
        if (p.varlen()) return false;
        (random.below(2) ? p.max_seqlen_q : p.max_seqlen_k) = 64;
        return true;
      },
      [](const Attention& p) {
        return (p.max_seqlen_q != 0 && p.cu_seqlens_q.empty()) || (p.max_seqlen_k != 0 && p.cu_seqlens_k.empty());
      }));
  return flaws;
}

std::vector<Flaw> list_flaws() {
  std::vector<Flaw> flaws;
  add_of_lists(flaws, "q", &Attention::cu_seqlens_q, &Attention::query_tokens, &Attention::max_seqlen_q);
  add_of_lists(flaws, "k", &Attention::cu_seqlens_k, &Attention::key_tokens, &Attention::max_seqlen_k);
  flaws.push_back(flaw_of<Attention>(
      "cu_seqlens of one of q and k alone",
      [](Attention& p, Random& random) {
        if (!p.varlen()) return false;
        (random.below(2) ? p.cu_seqlens_q : p.cu_seqlens_k).clear();
        return true;
      },
      [](const Attention& p) { return p.cu_seqlens_q.size() != p.cu_seqlens_k.size(); }));
  return flaws;
}

}  // namespace ropewalk::attention
